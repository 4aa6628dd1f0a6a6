import type { Consumable, RegisteredTool } from './model-context.ts'
import { isPublished } from './published-names.ts'

/** The tools of this page, and of frames of its origin, that are for its users and not this package's own. */
export async function listTools(context: Consumable): Promise<readonly RegisteredTool[]> {
  const { location } = globalThis as { readonly location?: Location }
  const listed = await context.getTools()
  return listed.filter(
    (tool) =>
      typeof tool.name === 'string' &&
      (tool.origin === undefined || !location || tool.origin === location.origin) &&
      tool.annotations?.debugging !== true &&
      !isPublished(tool),
  )
}
