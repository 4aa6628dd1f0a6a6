import type { Agent } from '../index.ts'

/** What a page sets of `<offstage-inspector>`, and what it can have it do. */
export interface InspectorProperties {
  /** Whose conversations are shown. Set it right after the agent is made: events are seen from then on. Null (default): none. */
  agent: Agent | null
  /** The conversation on view; attribute `conversation-id`. Null (default): the newest. */
  conversationId: string | null
  /** Default: `auto`, the page's own `color-scheme`. */
  theme: 'auto' | 'light' | 'dark'
  /** Shows a file that an inspector, or `conversations.export`, has made. Rejects when it is none. */
  open(file: Blob & { readonly name?: string }): Promise<void>
  /** Shows the agent again. */
  close(): void
}

/** `<offstage-inspector>`: what an agent does, for those who develop with it. It changes nothing of the agent. */
export type OffstageInspector = HTMLElement & InspectorProperties
