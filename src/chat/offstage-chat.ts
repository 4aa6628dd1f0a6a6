import type { Agent } from '../index.ts'
import type { AnswerOptions } from './answer-options.ts'
import type { CallRenderers, MarkdownOptions } from './context.ts'
import type { Placement, Theme } from './placement.ts'
import type { Words } from './words/words.ts'

/** What a page sets of `<offstage-chat>`, and what it can have it do. */
export interface ChatProperties {
  /** Whose conversations are shown. Null (default): nothing is shown. */
  agent: Agent | null
  /** The conversation on view; attribute `conversation-id`. Null: the one that this tab showed last, else a new one. */
  conversationId: string | null
  /** Default: `inline`. */
  placement: Placement
  /** Default: `auto`. */
  theme: Theme
  /** What the assistant is called. Default: the language's word for it. */
  heading: string | null
  /** Texts to send by a press, while a conversation is empty. Default: none. */
  suggestions: readonly string[]
  /** In place of the language's own. */
  words: Partial<Words>
  /** Cards of the page's own, by the name of the tool. */
  renderers: CallRenderers
  markdown: MarkdownOptions
  /** What the page adds to answers: follow-ups, sources, buttons and parts of its own. */
  answers: AnswerOptions
  /** Sends a text as the person's, or steers the run that is under way. */
  send(text: string): void
  /** Puts the cursor where messages are written. */
  focusComposer(): void
  /** Opens a bubble. */
  open(): void
  /** Closes a bubble. What runs goes on. */
  close(): void
}

/**
 * `<offstage-chat>`: a conversation of an agent, to read and to take part in. It keeps no messages of its own: what it shows
 * is a function of the agent's snapshots, so that two elements on one agent show the same.
 */
export type OffstageChat = HTMLElement & ChatProperties
