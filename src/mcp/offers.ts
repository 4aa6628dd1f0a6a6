import type { McpLine } from './line.ts'
import { type McpPrompts, promptsOf } from './prompts.ts'
import { type McpResources, resourcesOf } from './resources.ts'

/** What a server offers besides tools. Loaded when the app asks for it. */
export interface Offers {
  readonly resources: McpResources
  readonly prompts: McpPrompts
}

export function offersOf(line: McpLine, closed: AbortSignal): Offers {
  return { resources: resourcesOf(line, closed), prompts: promptsOf(line, closed) }
}
