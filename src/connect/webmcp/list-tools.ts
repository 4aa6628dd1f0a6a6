import type { Consumable, RegisteredTool } from './model-context.ts'
import { isPublished } from './published-names.ts'

/** The tools of this page and its same-origin frames, without debugging tools and those that Offstage published. */
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
