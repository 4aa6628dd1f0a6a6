import type { Agent } from '../../index.ts'

/** Properties and methods of `<offstage-inspector>`. */
export interface InspectorProperties {
  /** The agent to inspect. Set it right after the agent is made: events are seen from then on. Null (default): none. */
  agent: Agent | null
  /** The conversation on view; attribute `conversation-id`. Null (default): the newest. */
  conversationId: string | null
  /** Default: `auto`, the page's own `color-scheme`. */
  theme: 'auto' | 'light' | 'dark'
  /** Shows a file made by an inspector or by `conversations.export`. Rejects for any other file. */
  open(file: Blob & { readonly name?: string }): Promise<void>
  /** Shows the agent again. */
  close(): void
}

/** `<offstage-inspector>` shows developers what an agent does. It changes nothing of the agent. */
export type OffstageInspector = HTMLElement & InspectorProperties
