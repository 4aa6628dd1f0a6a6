import type { McpLine } from './line.ts'
import { type McpPrompts, promptsOf } from './prompts.ts'
import { type McpResources, resourcesOf } from './resources.ts'
import type { Within } from './time-limit.ts'

/** A server's resources and prompts. Loaded on first use. */
export interface Offers {
  readonly resources: McpResources
  readonly prompts: McpPrompts
}

export function offersOf(line: McpLine, within: Within): Offers {
  return { resources: resourcesOf(line, within), prompts: promptsOf(line, within) }
}
