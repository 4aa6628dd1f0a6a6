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
  /** Returns the host's card of a call, if it has the buttons that answer the call. */
  readonly answeringCard: (call: ShownRef) => RenderedCall | undefined
  readonly markdown: MarkdownOptions
  readonly answers: AnswerOptions
  /** Shows `answers`. Null until its code is loaded, which an empty `answers` doesn't need. */
  readonly additions: AnswerAdditions | null
  /** Texts to send with one press, for an empty conversation. */
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
  /** The newest message is in view, or is being followed. */
  readonly isFollowing: boolean
  /** Approval cards that the person has had in view as a whole. */
  readonly seen: { has(key: string): boolean }
}

/** Names a call. Default: one of the conversation on view. */
export interface ShownRef {
  readonly toolCallId: string
  readonly conversationId?: string
}

/** Input of a message's view, besides the message. The full snapshot changes too often: each change would redraw it. */
export interface MessageContext extends Pick<
  ChatContext,
  'conversation' | 'words' | 'locale' | 'local' | 'actions' | 'markdown' | 'answers' | 'additions'
> {
  readonly snapshot: Pick<ConversationSnapshot, 'runId' | 'branches' | 'ended'>
}

/** Shows what the page adds to answers. The views are Lit's: this file is among the package's types, which lack Lit. */
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

/** Open, edited and chosen parts of one element. A row's state has the key `what:id`, so that its row is redrawn. */
export interface LocalState {
  get<Value>(key: string): Value | undefined
  /** Redraws the element. Undefined forgets the key. */
  set(key: string, value: unknown): void
  /** Keys that have a value. */
  keys(): Iterable<string>
  /** Number of changes to anything that belongs to an id. */
  changesOf(id: string): number
}

/**
 * Actions of a person. Each emits its event first, which a host can cancel. A failure is shown next to the control that
 * the person used.
 */
export interface ChatActions {
  /** False if nothing was sent: the message is empty, or the page has cancelled it. */
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
  /** Deletes a conversation after a few seconds, unless `restore` is called or the page is left before. */
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
    /** Place of the failure's text: a call's id, `composer` or `list`. Default: the notices. */
    readonly key?: string
  } & (object extends ActionDetails[Name]
    ? { readonly detail?: undefined }
    : { readonly detail: ActionDetails[Name] })
}[ActionName]

/** A host's card for a call, as its renderer returns it. */
export interface RenderedCall {
  /** Called as the call changes: while its input is written, with progress, with its output. */
  update(call: ShownCall): void
  /** The call is shown no longer. */
  dispose?(): void
  /**
   * The card has its own controls that answer an approval or a question, by `respond`. The chat's buttons, and the
   * input that they show, are left out. Default false.
   */
  readonly answers?: boolean
  /**
   * Puts an input that the model suggests into the card's own controls. Called when the person presses “Use it”. The
   * card's button then approves what the controls show, by `agent.approve(call, { input })`: `respond(true)` approves the
   * input as it was. Without `suggest`, a card that `answers` has no “Use it”.
   */
  suggest?(input: JsonValue): void
}

/** Second argument of a renderer: the element to render into, and a function that answers the call. */
export interface RendererActions {
  /** Element in the page's own document, styled by the page. */
  readonly container: HTMLElement
  /**
   * Answers a waiting call: an approval (`true` approves; anything else denies, and a string is the reason), a question
   * (a string, or the values of its fields), or a requested output. False if it was answered before, or if the page
   * cancelled `offstage-respond`.
   */
  respond(answer: unknown): Promise<boolean>
}

/** Renderers by tool name. */
export interface CallRenderers {
  readonly [toolName: string]: (call: ShownCall, actions: RendererActions) => RenderedCall
}

/** Options for showing a model's text. */
export interface MarkdownOptions {
  /** Origins whose pictures load by themselves. Default: none. */
  readonly imageOrigins?: readonly string[]
  /** Highlights code: returns a node to show instead of the text, or null. */
  readonly highlight?: (code: string, language: string) => Node | null
  /** Renders mathematics. Without it, the source is shown. */
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
  /** Called on a click. Errors go to the page's own error handling. */
  act(answer: ShownMessage): unknown
}

/** Additions of the page to the model's answers. */
export interface AnswerOptions {
  /**
   * Returns messages that a click sends. Shown below the newest answer once its run is completed. Called once for each
   * answer.
   */
  readonly followUps?: (answer: ShownMessage) => readonly string[] | Promise<readonly string[]>
  /** Sources of an answer, shown below it once it is complete. */
  readonly sources?: (answer: ShownMessage) => readonly AnswerSource[]
  /** Buttons below each complete answer, in this order. Default: none. */
  readonly actions?: readonly AnswerAction[]
  /** Shows “Good response” and “Bad response” below each answer, for pages that listen to `offstage-feedback`. Default: false. */
  readonly feedback?: boolean
  /**
   * Renders a part of an answer instead of the chat, within its shadow root; null: the chat renders it. Called again
   * as the part is written.
   */
  readonly renderPart?: (part: Part, answer: ShownMessage) => Node | null
}

type OneCall = { readonly call: PendingCall }
type AllCalls = { readonly calls: readonly PendingCall[] }

/** Event details of each user action, besides `conversationId`. */
export interface ActionDetails {
  /** `steers`: the message goes to the run that is under way. */
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
  /** `calls`: those of a turn that are to be undone together. */
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
  /** `file`: the report as the person chose it. Unless the event is cancelled, it is downloaded. */
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
  /**
   * Replaces texts of the chat's own controls, by key: `{ send: 'Ask' }`. Default: `{}`, the texts in the language of
   * the nearest `lang` attribute, else the browser's.
   */
  words: Partial<Words>
  /** Cards of the page's own, by the name of the tool. */
  renderers: CallRenderers
  /** Options for showing a model's text: pictures, code highlighting, mathematics. Default: `{}`. */
  markdown: MarkdownOptions
  /**
   * Adds to the model's answers in the chat. `followUps` and `sources` are functions: they return messages to send with
   * a click, and links. `actions`: buttons, each with a `label` and a function `act`. `feedback: true`: two rating
   * buttons, which emit `offstage-feedback`. `renderPart`: a function that returns a node to show instead of a part.
   * Default: `{}`, no additions.
   *
   * @example
   * const answers = { followUps: () => ['Show my cart', 'Pay now'], feedback: true }
   * const chat = document.querySelector<OffstageChat>('offstage-chat')! // in Svelte: attachChat({ answers })
   * chat.answers = answers
   */
  answers: AnswerOptions
  /**
   * Whether the header has a button “Report a problem…”, with which a person chooses what to share, and saves it as a
   * file for the inspector. To get the file instead, cancel `offstage-report`. Default: `false`.
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
 * `<offstage-chat>`: shows a conversation of an agent and lets a person take part. It keeps no messages of its own.
 * Everything it shows derives from the agent's snapshots, so two elements on one agent show the same.
 */
export type OffstageChat = HTMLElement & ChatProperties
