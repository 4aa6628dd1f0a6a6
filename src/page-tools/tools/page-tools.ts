import type { Tool } from '../../client/tool.ts'
import { createPage } from '../outline/live-page.ts'
import type { PageOptions } from '../options.ts'
import { inputTools } from './input-tools.ts'
import { navigationTools } from './navigation-tools.ts'
import { pointerTools } from './pointer-tools.ts'
import { readingTools } from './reading-tools.ts'
import { type PageToolName, type PageToolPreset, wantedNames } from './tool-names.ts'

export interface PageToolsOptions extends PageOptions {
  /** Only these tools: a preset, or names. Default `'all'`. Throws a `PageError` for a name that no tool has. */
  readonly tools?: PageToolPreset | readonly PageToolName[]
}

/**
 * Tools with which a model reads and operates the page as a person does. They share one page, which is
 * released when a tool is unregistered or the agent disposed; the remaining tools continue to work.
 */
export function pageTools({ tools: wanted = 'all', ...options }: PageToolsOptions = {}): Tool[] {
  const names = wantedNames(wanted)
  const page = createPage(options)
  const all = [
    ...readingTools(page),
    ...pointerTools(page),
    ...inputTools(page),
    ...navigationTools(page),
  ]
  return all
    .filter(({ name }) => names?.has(name) ?? true)
    .map((tool) => ({ ...tool, dispose: () => page.release() }))
}
