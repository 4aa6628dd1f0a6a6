import type {
  Agent,
  Conversation,
  ConversationRecord,
  ConversationSnapshot,
  FilePart,
  JsonValue,
  ListedMemory,
  PendingCall,
  QuestionAnswer,
  ShownCall,
  ShownMessage,
} from '../../index.ts'
import type { Failure } from './parts/failures.ts'
import type { ChatRow, ShownRows } from './parts/rows.ts'
import type { ChatEnvironment } from './parts/states.ts'
import type { PanelWidth } from './panel-width.ts'
import type { Words } from './words/words.ts'

/** Input of all views of an element: the state to show, and the actions a person can take. */
export interface ChatContext {
  readonly agent: Agent
  readonly conversation: Conversation
  readonly snapshot: ConversationSnapshot
  readonly words: Words
  /** BCP 47, for dates and numbers. */
  readonly locale: string
  /** State of this element alone: drafts, open and edited parts. */
  readonly local: LocalState
  readonly actions: ChatActions
  readonly renderers: CallRenderers
  /** Returns the host's card for a call, but only if that card has the buttons that answer the call. */
  readonly answeringCard: (call: ShownRef) => RenderedCall | undefined
  readonly markdown: MarkdownOptions
  readonly answers: AnswerOptions
  /** Shows the page's additions. Null until their code is loaded, which an empty `answers` doesn't need. */
  readonly additions: AnswerAdditions | null
  /** Texts that a click sends, shown in an empty conversation. */
  readonly suggestions: readonly string[]
  readonly placement: Placement
  /** Whether a person can save a report of a problem. */
  readonly report: boolean
  /** Width of a panel. */
  readonly width: PanelWidth
  readonly history: ChatHistory
  /** Whether a bubble is open. */
  readonly isOpen: boolean
  readonly around: ChatEnvironment
  /** Why a run failed, by the id of its last message. */
  readonly failures: ReadonlyMap<string, Failure>
  /** True if the newest message is in view, or the log follows it. */
  readonly isFollowing: boolean
  /** Keys of approval cards that have been fully in view. */
  readonly seen: { has(key: string): boolean }
}

/** Identifies a call. Default: a call of the conversation on view. */
export interface ShownRef {
  readonly toolCallId: string
  readonly conversationId?: string
}

/**
 * Input of a message's view, besides the message. Omits the full snapshot, which changes so often that every message
 * would be redrawn.
 */
export interface MessageContext extends Pick<
  ChatContext,
  'conversation' | 'words' | 'locale' | 'local' | 'actions' | 'markdown' | 'answers' | 'additions'
> {
  readonly snapshot: Pick<ConversationSnapshot, 'runId' | 'branches' | 'ended'>
}

/** Draws the page's additions to answers. Views have an opaque type, because the package's types can't import Lit's. */
export interface AnswerAdditions {
  /** Runs after each drawing. */
  readonly update: (context: ChatContext) => void
  readonly followUpsView: (context: ChatContext) => unknown
  readonly sourcesView: (context: MessageContext, answer: ShownMessage) => unknown
  readonly actionsView: (context: MessageContext, answer: ShownMessage) => unknown
}

/** Decides which rows of a long conversation are drawn. */
export interface ChatHistory {
  cut(rows: readonly ChatRow[]): ShownRows
  showEarlier(): void
  showLater(): void
}

/**
 * Open, edited and chosen parts of one element. A row's state has a key of the form `what:id`, which redraws the row.
 */
export interface LocalState {
  get<Value>(key: string): Value | undefined
  /** Redraws the element. Undefined removes the key. */
  set(key: string, value: unknown): void
  /** Keys that have a value. */
  keys(): Iterable<string>
  /** Returns how often the values of an id have changed. */
  changesOf(id: string): number
}

/**
 * Actions of a person. Each emits its event first, which a host can cancel. A failure is shown next to the control that
 * the person used.
 */
export interface ChatActions {
  /** Returns false if nothing was sent, because the message is empty or the page has cancelled the event. */
  send(text: string, files?: readonly FilePart[]): boolean
  stop(): void
  /** Sends an edited message of the person's. Its text is kept until it is part of the conversation. */
  edit(message: ShownMessage, text: string): void
  /**
   * Emits the action's event and, unless it is cancelled, runs `act` at once, within the user gesture. Returns false
   * if the event was cancelled.
   */
  perform(action: Action, act: () => Promise<unknown>): boolean
  openConversation(conversationId: string): void
  startNew(): void
  /** Deletes a conversation after a few seconds. `restore`, or leaving the page, prevents it. */
  delete(conversation: ConversationRecord): void
  restore(): void
  scrollToLatest(): void
  /** Opens a bubble. */
  openBubble(): void
  closeBubble(): void
}

export type Action = {
  readonly [Name in ActionName]: {
    /** The event is `offstage-${name}`. */
    readonly name: Name
    /** Where to show a failure: a call's id, `composer` or `list`. Default: among the notices. */
    readonly key?: string
  } & (object extends ActionDetails[Name]
    ? { readonly detail?: undefined }
    : { readonly detail: ActionDetails[Name] })
}[ActionName]

/** A host's card for a call, as its renderer returns it. */
export interface RenderedCall {
  /** Called as the call changes: while its input is written, with progress, with its output. */
  update(call: ShownCall): void
  /** Called when the call is no longer shown. */
  dispose?(): void
  /**
   * True if the card has its own controls that answer the approval or question with `respond`. The chat then shows
   * neither its buttons nor the input. Default false.
   */
  readonly answers?: boolean
  /**
   * Puts an input that the model suggests into the card's own controls, when the person presses “Use it”. Afterwards,
   * the card's button must approve with `agent.approve(call, { input })`, because `respond(true)` approves the original
   * input. Without `suggest`, a card that `answers` has no “Use it”.
   */
  suggest?(input: JsonValue): void
}

/** Second argument of a renderer: the element to render into, and a function that answers the call. */
export interface RendererActions {
  /** Element in the page's own document, styled by the page. */
  readonly container: HTMLElement
  /**
   * Answers a waiting call: an approval (`true` approves; anything else denies, and a string is the reason), a question
   * (a string, or the values of its fields), or a requested output. Resolves to false if the call was answered before,
   * or if the page cancelled `offstage-respond`.
   */
  respond(answer: unknown): Promise<boolean>
}

/** Renderers by tool name. */
export interface CallRenderers {
  readonly [toolName: string]: (call: ShownCall, actions: RendererActions) => RenderedCall
}

/** Options for showing a model's text. */
export interface MarkdownOptions {
  /** Origins whose pictures load without a click. Default: none. */
  readonly imageOrigins?: readonly string[]
  /** Highlights code: returns a node to show instead of the text, or null. */
  readonly highlight?: (code: string, language: string) => Node | null
  /** Renders mathematics. Default: the source is shown. */
  readonly renderMath?: (source: string, display: boolean) => Node | null
}

type Part = ShownMessage['parts'][number]

/** Source of an answer. */
export interface AnswerSource {
  readonly title: string
  /** `http`, `https` or `mailto`; other addresses are shown without a link. */
  readonly url?: string
}

/** A button below an answer that is complete. */
export interface AnswerAction {
  readonly label: string
  /** Called on a click. Its errors are reported to the page (`reportError`). */
  act(answer: ShownMessage): unknown
}

/** Additions of the page to the model's answers. */
export interface AnswerOptions {
  /**
   * Returns texts that a click sends as messages. They are shown below the newest answer once its run is completed.
   * Called once per answer.
   */
  readonly followUps?: (answer: ShownMessage) => readonly string[] | Promise<readonly string[]>
  /** Sources of an answer, shown below it once it is complete. */
  readonly sources?: (answer: ShownMessage) => readonly AnswerSource[]
  /** Buttons below each complete answer, in this order. Default: none. */
  readonly actions?: readonly AnswerAction[]
  /** Shows “Good response” and “Bad response” below each answer. A click emits `offstage-feedback`. Default: false. */
  readonly feedback?: boolean
  /**
   * Returns a node to show, in the chat's shadow root, instead of a part of an answer. Null: the chat renders the part.
   * Called again as the part grows.
   */
  readonly renderPart?: (part: Part, answer: ShownMessage) => Node | null
}

type OneCall = { readonly call: PendingCall }
type AllCalls = { readonly calls: readonly PendingCall[] }

/** Event details of each user action, besides `conversationId`. */
export interface ActionDetails {
  /** `steers`: the message goes to the current run. */
  readonly send: {
    readonly text: string
    readonly files: readonly FilePart[]
    readonly steers: boolean
  }
  readonly stop: object
  readonly approve: (OneCall & { readonly remember?: 'conversation' | undefined }) | AllCalls
  readonly deny: (OneCall & { readonly reason?: string | undefined }) | AllCalls
  readonly answer: OneCall & { readonly answer: string | QuestionAnswer }
  /** An answer from a card that the page renders itself. */
  readonly respond: { readonly call: ShownCall; readonly answer: unknown }
  readonly resolve: OneCall & { readonly verdict: 'happened' | 'did-not-happen' | 'run-again' }
  /** `calls`: the calls of a turn to undo together. */
  readonly undo: { readonly call: ShownCall } | { readonly calls: readonly ShownCall[] }
  readonly regenerate: { readonly message: ShownMessage }
  readonly edit: { readonly message: ShownMessage; readonly text: string }
  /** `messageId`: the version to show. */
  readonly branch: { readonly messageId: string }
  readonly continue: object
  readonly 'take-over': object
  readonly withdraw: { readonly messageId: string }
  readonly revoke: { readonly consentId: string }
  readonly rename: Pick<ConversationRecord, 'conversationId' | 'title'>
  readonly delete: Pick<ConversationRecord, 'conversationId'>
  readonly export: object
  /**
   * `file`: the report with the content that the person chose. Unless the event is cancelled, the file is downloaded.
   */
  readonly report: { readonly file: File }
  readonly import: { readonly file: File }
  readonly forget: { readonly entries: readonly ListedMemory[] }
  readonly feedback: { readonly message: ShownMessage; readonly value: 'good' | 'bad' }
}

/** Name of a user action in the chat. Its event, `offstage-${name}`, comes first and can be cancelled. */
export type ActionName = keyof ActionDetails

/** Events of `<offstage-chat>`, by type. */
export type ChatEvents = {
  readonly [Name in ActionName as `offstage-${Name}`]: CustomEvent<
    { readonly conversationId: string } & ActionDetails[Name]
  >
} & { readonly 'offstage-view': CustomEvent<{ readonly conversationId: string }> }

/** `inline` fills its container, `panel` docks at a side of the page, `bubble` is a button that opens the chat. */
export type Placement = 'inline' | 'panel' | 'bubble'
/** `auto` follows the page's `color-scheme`. */
export type Theme = 'light' | 'dark' | 'auto'

/** Properties and methods of `<offstage-chat>`. */
export interface ChatProperties {
  /** The agent whose conversations are shown. Null (default): nothing is shown. */
  agent: Agent | null
  /**
   * The conversation on view; attribute `conversation-id`. Null: the conversation that this tab showed last, otherwise
   * a new one.
   */
  conversationId: string | null
  /** Default: `inline`. */
  placement: Placement
  /** Default: `auto`. */
  theme: Theme
  /** Name of the assistant. Default: a generic name in the chat's language. */
  heading: string | null
  /** Texts that a click sends, shown while a conversation is empty. Default: none. */
  suggestions: readonly string[]
  /**
   * Replaces texts of the chat's own controls, by key: `{ send: 'Ask' }`. Default: `{}`, the texts in the language of
   * the nearest `lang` attribute, else the browser's.
   */
  words: Partial<Words>
  /** The page's own cards, by tool name. */
  renderers: CallRenderers
  /** Options for showing a model's text: pictures, code highlighting, mathematics. Default: `{}`. */
  markdown: MarkdownOptions
  /**
   * Adds to the model's answers in the chat. `followUps`: a function that returns texts that a click sends. `sources`:
   * a function that returns links. `actions`: buttons, each with a `label` and a function `act`. `feedback: true`: two
   * rating buttons, which emit `offstage-feedback`. `renderPart`: a function that returns a node to show instead of a
   * part. Default: `{}`, no additions.
   *
   * @example
   * const answers = { followUps: () => ['Show my cart', 'Pay now'], feedback: true }
   * const chat = document.querySelector<OffstageChat>('offstage-chat')! // in Svelte: attachChat({ answers })
   * chat.answers = answers
   */
  answers: AnswerOptions
  /**
   * Shows a button “Report a problem…” in the header. A person chooses what to share, and saves a file that the
   * inspector opens. To get the file instead, cancel `offstage-report`. Default: `false`.
   *
   * @example
   * chat.report = true
   * chat.addEventListener('offstage-report', (event) => {
   *   event.preventDefault()
   *   void fetch('/reports', { method: 'POST', body: event.detail.file })
   * })
   */
  report: boolean
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
 * `<offstage-chat>`: shows a conversation of an agent and lets a person take part. Everything shown derives from the
 * agent's snapshots, so two elements with the same agent show the same messages.
 */
export type OffstageChat = HTMLElement & ChatProperties
