import type {
  Agent,
  Conversation,
  ConversationRecord,
  ConversationSnapshot,
  FilePart,
  ShownCall,
  ShownMessage,
} from '../index.ts'
import type { AnswerOptions } from './answer-options.ts'
import type { ActionDetails, ActionName } from './chat-events.ts'
import type { Failure } from './parts/failures.ts'
import type { ShownRows } from './parts/row-window.ts'
import type { ChatRow } from './parts/rows.ts'
import type { Around } from './parts/states.ts'
import type { SeenApprovals } from './seen-approvals.ts'
import type { PanelWidth } from './panel-width.ts'
import type { Placement } from './placement.ts'
import type { Words } from './words/words.ts'

/** What all views of an element are given: what is shown now, and what a person can do. */
export interface ChatContext {
  readonly agent: Agent
  readonly conversation: Conversation
  readonly snapshot: ConversationSnapshot
  readonly words: Words
  /** BCP 47, for dates and numbers. */
  readonly locale: string
  /** What this element alone knows: drafts, what is open, what is edited. */
  readonly local: LocalState
  readonly actions: ChatActions
  readonly renderers: CallRenderers
  /** Whether a card of the host's has the buttons that answer its call. */
  readonly answersItself: (call: ShownCall) => boolean
  readonly markdown: MarkdownOptions
  readonly answers: AnswerOptions
  /** Of an empty conversation: texts to send by a press. */
  readonly suggestions: readonly string[]
  readonly placement: Placement
  /** Of a panel. */
  readonly width: PanelWidth
  readonly history: ChatHistory
  /** Of a bubble. */
  readonly isOpen: boolean
  readonly around: Around
  /** Why a run failed, by the id of its last message. */
  readonly failures: ReadonlyMap<string, Failure>
  /** The newest message is in view, or is being followed. */
  readonly isFollowing: boolean
  /** The approvals that the person has had in view as a whole. */
  readonly seen: Pick<SeenApprovals, 'has'>
}

/** What a message is drawn from beside itself: with the rest of a snapshot, which changes often, it would be drawn as often. */
export interface MessageContext extends Pick<
  ChatContext,
  'conversation' | 'words' | 'locale' | 'local' | 'actions' | 'markdown' | 'answers'
> {
  readonly snapshot: Pick<ConversationSnapshot, 'runId' | 'branches' | 'ended'>
}

/** Which rows of a long conversation are drawn. */
export interface ChatHistory {
  cut(rows: readonly ChatRow[]): ShownRows
  showEarlier(): void
  showLater(): void
}

/** What is open, edited or chosen in one element. What belongs to a row has the key `what:id`: its row is drawn anew. */
export interface LocalState {
  get<Value>(key: string): Value | undefined
  /** Draws anew. Undefined forgets. */
  set(key: string, value: unknown): void
  /** Of what there is. */
  keys(): Iterable<string>
  /** How often anything that belongs to an id has changed. */
  changesOf(id: string): number
}

/** What a person does. Each emits its event first, which a host can cancel; what fails is shown where it was pressed. */
export interface ChatActions {
  /** False when nothing was sent: there is nothing to send, or the page has cancelled it. */
  send(text: string, files?: readonly FilePart[]): boolean
  stop(): void
  /** Sends a message of the person's anew. What is edited of it is kept until it is part of the conversation. */
  edit(message: ShownMessage, text: string): void
  /**
   * Emits the action's event and, unless that is cancelled, runs `act` at once, within the press's own event. False when it
   * was cancelled.
   */
  perform(action: Action, act: () => Promise<unknown>): boolean
  open(conversationId: string): void
  startNew(): void
  /** Deletes a conversation, unless `restore` is called within some seconds, or the page is left. */
  delete(conversation: ConversationRecord): void
  restore(): void
  toLatest(): void
  /** Of a bubble. */
  show(): void
  close(): void
}

export type Action = {
  readonly [Name in ActionName]: {
    /** The event is `offstage-${name}`. */
    readonly name: Name
    /** What a failure is shown beside: a call's id, `composer`, `list`. Default: the notices. */
    readonly key?: string
  } & (object extends ActionDetails[Name]
    ? { readonly detail?: undefined }
    : { readonly detail: ActionDetails[Name] })
}[ActionName]

/** A call as a renderer of the host's gets it, and what it may do with it. */
export interface RenderedCall {
  /** Called as the call changes: while its input is written, with progress, with its output. */
  update(call: ShownCall): void
  /** The call is shown no longer. */
  dispose?(): void
  /**
   * The card itself has what answers an approval or a question, by `respond`: the chat's own buttons, and the input that they
   * show, are left out. Default false.
   */
  readonly answers?: boolean
}

export interface RendererActions {
  /** In the page's own document, styled by the page. */
  readonly container: HTMLElement
  /**
   * Answers a call that waits: an approval (`true`; anything else denies it, a text as the reason), a question (a text, or the
   * values of its fields), an output. False when it was answered before, or the page has cancelled `offstage-respond`.
   */
  respond(answer: unknown): Promise<boolean>
}

/** By the name of a tool. */
export interface CallRenderers {
  readonly [toolName: string]: (call: ShownCall, actions: RendererActions) => RenderedCall
}

/** How a model's text is shown. */
export interface MarkdownOptions {
  /** Origins whose pictures load by themselves. Default: none. */
  readonly imageOrigins?: readonly string[]
  /** Colours code: returns what is shown in place of the text, or null. */
  readonly highlight?: (code: string, language: string) => Node | null
  /** Shows mathematics, whose source is shown else. */
  readonly renderMath?: (source: string, display: boolean) => Node | null
}
