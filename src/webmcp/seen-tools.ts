import { pageWide } from '../lib/page-wide.ts'
import type { Consumable } from './model-context.ts'
import type { PageTool } from './page-tool.ts'

/** What is known of a tool as long as the page lasts, whichever link saw it. */
export interface SeenTool {
  /** As the model knows it: another tool never gets the name. */
  readonly name: string
  readonly pageName: string
  /** Whether it is the tool of that window, which may have gone. */
  isIn(window: unknown): boolean
  /** The definition that was seen first, or accepted last. */
  pinned?: PageTool
}

/** By whose tools they are, and by prefix. */
const seen: Map<Consumable, Map<string, SeenTool[]>> = pageWide('webmcp-seen', () => new Map())

/** A component that is mounted again finds what the page's tools were. */
export function seenTools(context: Consumable, prefix: string): SeenTool[] {
  const ofContext = seen.get(context) ?? new Map<string, SeenTool[]>()
  seen.set(context, ofContext)
  const tools = ofContext.get(prefix) ?? []
  ofContext.set(prefix, tools)
  return tools
}

export function seenTool(name: string, pageName: string, window: unknown): SeenTool {
  // A frame that is removed is not kept in memory.
  const held =
    typeof window === 'object' && window !== null ? new WeakRef(window) : { deref: () => window }
  return { name, pageName, isIn: (other) => held.deref() === other }
}
