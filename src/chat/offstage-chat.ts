import type { Agent } from '../index.ts'
import type { AnswerOptions } from './answer-options.ts'
import type { CallRenderers, MarkdownOptions } from './context.ts'
import type { Placement, Theme } from './placement.ts'
import type { Words } from './words/words.ts'

/** Properties and methods of `<offstage-chat>`. */
export interface ChatProperties {
  /** The agent whose conversations are shown. Null (default): nothing is shown. */
  agent: Agent | null
  /** The conversation on view; attribute `conversation-id`. Null: the one that this tab showed last, else a new one. */
  conversationId: string | null
  /** Default: `inline`. */
  placement: Placement
  /** Default: `auto`. */
  theme: Theme
  /** Name of the assistant. Default: the language's word for it. */
  heading: string | null
  /** Texts to send with one press, while a conversation is empty. Default: none. */
  suggestions: readonly string[]
  /** Replacements for the language's own words. */
  words: Partial<Words>
  /** Cards of the page's own, by the name of the tool. */
  renderers: CallRenderers
  markdown: MarkdownOptions
  /** Additions of the page to answers: follow-ups, sources, buttons and custom parts. */
  answers: AnswerOptions
  /** Sends a text as the person's message, or steers the current run. */
  send(text: string): void
  /** Focuses the composer. */
  focusComposer(): void
  /** Opens a bubble. */
  open(): void
  /** Closes a bubble. Runs continue. */
  close(): void
}

/**
 * `<offstage-chat>`: shows a conversation of an agent and lets a person take part. It keeps no messages of its own.
 * Everything it shows derives from the agent's snapshots, so two elements on one agent show the same.
 */
export type OffstageChat = HTMLElement & ChatProperties
