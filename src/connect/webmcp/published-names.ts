import { getPageSingleton } from '../../lib/page-singleton.ts'
import type { RegisteredTool } from './model-context.ts'

/**
 * How many tools of each name Offstage has published in this document, counted across all copies of the package. The
 * browser returns copies of tools, so only the name and window identify one.
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

/** Whether Offstage published the tool. An agent that called its own tools this way would bypass its rules for them. */
export function isPublished({ name, window }: RegisteredTool): boolean {
  return isOwnWindow(window) && published.has(name)
}

export function isOwnWindow(window: unknown): boolean {
  return window === undefined || window === globalThis
}
