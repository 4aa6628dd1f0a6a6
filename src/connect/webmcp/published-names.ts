import { getPageSingleton } from '../../lib/page-singleton.ts'
import type { RegisteredTool } from './model-context.ts'

/**
 * Number of tools that Offstage has published in this document, by name. All copies of the package share it. The
 * browser returns copies of tools, so a tool is identified by its name and window.
 */
const published: Map<string, number> = getPageSingleton('webmcp-published', () => new Map())

export function markPublished(name: string): () => void {
  published.set(name, (published.get(name) ?? 0) + 1)
  return () => {
    const remaining = (published.get(name) ?? 1) - 1
    if (remaining > 0) published.set(name, remaining)
    else published.delete(name)
  }
}

/**
 * Whether Offstage published the tool. An agent that calls its own tools through WebMCP would bypass its rules for
 * them.
 */
export function isPublished({ name, window }: RegisteredTool): boolean {
  return isOwnWindow(window) && published.has(name)
}

export function isOwnWindow(window: unknown): boolean {
  return window === undefined || window === globalThis
}
