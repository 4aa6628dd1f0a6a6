import { pageWide } from '../lib/page-wide.ts'
import type { RegisteredTool } from './model-context.ts'

/**
 * How many of this document's tools of each name were published by Offstage, by whatever copy of it: the browser gives
 * copies of tools, so a name in a window is all that a tool is known by.
 */
const published: Map<string, number> = pageWide('webmcp-published', () => new Map())

export function markPublished(name: string): () => void {
  published.set(name, (published.get(name) ?? 0) + 1)
  return () => {
    const left = (published.get(name) ?? 1) - 1
    if (left > 0) published.set(name, left)
    else published.delete(name)
  }
}

/** The agent would call its own tools around the rules that it has for them. */
export function isPublished({ name, window }: RegisteredTool): boolean {
  return isOwnWindow(window) && published.has(name)
}

export function isOwnWindow(window: unknown): boolean {
  return window === undefined || window === globalThis
}
