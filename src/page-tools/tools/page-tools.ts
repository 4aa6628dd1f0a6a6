import type { Tool } from '../../client/tool.ts'
import { createPage } from '../outline/live-page.ts'
import type { PageOptions } from '../options.ts'
import { inputTools } from './input-tools.ts'
import { navigationTools } from './navigation-tools.ts'
import { pointerTools } from './pointer-tools.ts'
import { readingTools } from './reading-tools.ts'

export interface PageToolsOptions extends PageOptions {
  /** Only these tools. Default: all. */
  readonly tools?: readonly string[]
}

/**
 * Tools with which a model reads and operates the page as a person does. They share one page, which is
 * released when a tool is unregistered or the agent disposed; the remaining tools continue to work.
 */
export function pageTools({ tools: wanted, ...options }: PageToolsOptions = {}): Tool[] {
  const page = createPage(options)
  const all = [
    ...readingTools(page),
    ...pointerTools(page),
    ...inputTools(page),
    ...navigationTools(page),
  ]
  const tools = wanted ? all.filter(({ name }) => wanted.includes(name)) : all
  return tools.map((tool) => ({ ...tool, dispose: () => page.release() }))
}
