import type { ErrorData } from './error.ts'
import type { FieldsSchema } from './fields.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type {
  Amendment,
  AssistantMessage,
  CallError,
  FinishReason,
  Message,
  ReasoningPart,
  RunUsage,
  TextPart,
  ToolOutput,
  Usage,
  UserMessage,
} from './message.ts'
import type { CallAbout, LimitName, PauseReason, PendingCall, RunLimits } from './run.ts'
import type { ApprovalReason } from './taint.ts'
import type { SettledStatus } from './tool.ts'

/** Format version of rows and records. Code refuses formats newer than its own. */
export const FORMAT = 2

/** Ids of a call and the calls it is nested in, outermost first. The call's own id is last. */
export type CallPath = readonly string[]

/** A stored message: always with an id. */
export type Identified<Kind extends Message> = Kind & { readonly id: string }

/** Content of a user message: written by a person, sent by a trigger, or asked by another agent. */
export interface UserContent extends Pick<UserMessage, 'parts' | 'trigger' | 'untrusted'> {
  readonly id: string
  /**
   * Set if a queued message starts the next run once the current run completes. Default: the current run takes the
   * message.
   */
  readonly when?: 'after-run'
  /** Only with `when`: the current run takes the message if it has another step. */
  readonly orSooner?: true
}

/** Details of a call that its message doesn't hold. */
export interface CallDetails {
  readonly toolCallId: string
  /** A tool with this name was registered when the model called it. */
  readonly known: boolean
  /** May run at the same time as other calls. */
  readonly parallel: boolean
  /** The tool's display title when the model called it. */
  readonly title?: string
  /** Source of a remote tool when the model called it. Undefined for the app's own tools. */
  readonly source?: string
  /** The tool was annotated as read-only when the model called it. */
  readonly readOnly?: boolean
  /** The run completes once this call succeeds. */
  readonly finishes?: boolean
  /** Native mode: the model wrote the call as text instead of a native call. */
  readonly rescued?: boolean
  /** The call may be a quotation of somebody else's text. It needs approval, except if the tool is read-only. */
  readonly quoted?: boolean
}

/** The tool's properties at the time when the call was decided. */
export interface DecidedTool {
  /** Hash of the tool's definition. */
  readonly definition: string
  /** Read-only or idempotent: may run again after a crash. */
  readonly replayable: boolean
  /** The tool can check after a crash whether the call happened. */
  readonly reconcilable: boolean
  /**
   * A composite tool: its nested calls and steps are stored. When its function runs again, it resumes where it stopped.
   */
  readonly composite?: true
  /** The tool can undo a call. */
  readonly undoable?: true
  /** Source of the untrusted content in the output, such as a server's name. */
  readonly untrusted?: string
}

/** Scope of a consent that a person may give to later calls of the same tool. Undefined if each call needs approval. */
export interface Rememberable {
  /** Value of the tool's `consentKey`. The consent covers only calls with the same key. */
  readonly key?: string
  /** The consent ends when the model reads untrusted content from a source other than the tool's own. */
  readonly openWorld?: true
  /** Source of a remote tool. */
  readonly source?: string
}

export const CONSENT_SPANS = ['run', 'conversation'] as const

/** Calls that a person has consented to: calls of one tool, while its definition is unchanged. */
export interface ConsentScope extends Rememberable {
  readonly toolName: string
  /** The tool's display title. */
  readonly title?: string
  /** Hash of the tool's definition. */
  readonly definition: string
  /** Whether the consent lasts for the fact's run, or for the whole conversation. */
  readonly within: (typeof CONSENT_SPANS)[number]
}

/** How the text of a reflection (a second model call about an answer) is shown: with the answer, or instead of it. */
export type ReflectMode = 'annotate' | 'replace'

/** How a run ended, as stored. */
export type RunEnd =
  /** `finishReason`: why the answer is incomplete. */
  | { readonly outcome: 'completed'; readonly finishReason?: FinishReason }
  | { readonly outcome: 'max-steps' }
  | { readonly outcome: 'limit'; readonly limit: LimitName }
  | { readonly outcome: 'aborted'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly error: ErrorData }
  | { readonly outcome: 'waiting'; readonly pending: readonly PendingCall[] }

/** A person's decision about an interrupted call. */
export type InterruptionVerdict = 'happened' | 'did-not-happen' | 'run-again'

/** Facts about a run as a whole, and about its steps. */
type RunFact =
  /** Starts a run. `message` is null when the run continues from supplied outputs. */
  | {
      readonly type: 'run-started'
      readonly parentId: string | null
      readonly message: UserContent | null
      readonly limits: RunLimits
      /** A child run: works for the call that began this conversation. */
      readonly forCall?: true
    }
  /** Written before the model is called. `resumed`: after a crash or reload, not for a transport retry. */
  | {
      readonly type: 'step-started'
      readonly step: number
      readonly resumed: boolean
      /** The limit this run has reached. The model gets one last call, without tools. */
      readonly limit?: LimitName
    }
  /**
   * Another worker resumes the run. Written only if `minutes` are limited: the time since the previous row doesn't
   * count.
   */
  | { readonly type: 'run-resumed' }
  /** A failed attempt. Its partial output isn't stored. */
  | {
      readonly type: 'attempt-failed'
      readonly step: number
      readonly attempt: number
      readonly usage: Usage
      readonly error: ErrorData
    }
  /** Message, calls and usage of a finished step, written together. */
  | {
      readonly type: 'model-output'
      readonly step: number
      readonly attempt: number
      readonly parentId: string | null
      readonly message: Identified<AssistantMessage>
      /** Id of the tool message that will hold the results. Null if there are no calls. */
      readonly toolsId: string | null
      readonly calls: readonly CallDetails[]
      readonly usage: Usage
      readonly finishReason: FinishReason
      readonly rawFinishReason?: string
      readonly toolMode: 'native' | 'action'
      /**
       * Request format that the endpoint accepted after it had refused the first: see `providers/core/request-form.ts`.
       */
      readonly form?: {
        /** Digest of the model's configuration. */
        readonly key: string
        readonly changes: readonly string[]
        readonly at: number
      }
      /** ACTION mode: the error in an unreadable call, and the message that reports it to the model. */
      readonly feedback?: { readonly id: string; readonly error: CallError; readonly text: string }
      /**
       * Reminder of the plan's open items, for a model that would stop early. The run continues. At most once in a run.
       */
      readonly reminder?: { readonly id: string; readonly text: string }
    }
  /** A step ended without an output. `message`: its partial answer, stored where the answer would be. */
  | {
      readonly type: 'step-cut'
      readonly step: number
      readonly attempt: number
      readonly parentId: string | null
      readonly message: {
        readonly id: string
        readonly parts: readonly (TextPart | ReasoningPart)[]
      } | null
      readonly usage: Usage
      /**
       * The run continues with a message that interrupted the step. The interrupted step is included in the number of
       * steps.
       */
      readonly continues?: true
    }
  /** The app's `verify` rejected the answer. The model gets the feedback, and the run continues. */
  | {
      readonly type: 'answer-rejected'
      readonly step: number
      readonly parentId: string | null
      /** Feedback for the model. */
      readonly message: { readonly id: string; readonly text: string }
    }
  /** Result of a reflection on the step's answer. At most one for each answer. */
  | {
      readonly type: 'answer-reflected'
      readonly step: number
      /** Id of the answer. */
      readonly messageId: string
      readonly mode: ReflectMode
      /**
       * Remarks shown with the answer, or its replacement. Null if the reflection gave nothing usable: the answer
       * stays.
       */
      readonly text: string | null
      /** Usage of the reflection's model calls. */
      readonly usage: RunUsage
    }
  /** The run pauses until somebody continues it. */
  | { readonly type: 'run-paused'; readonly reason: DurablePauseReason }
  | { readonly type: 'run-continued' }
  /** `next`: id of the run that starts in the same append, with a message that was queued for `after-run`. */
  | { readonly type: 'run-ended'; readonly end: RunEnd; readonly next?: string }

/**
 * Stored reasons why a run is paused. The others are temporary: the store can't be written, or a file of the worker
 * can't be loaded.
 */
export type DurablePauseReason = Extract<PauseReason, 'crash-loop'>

/** Facts about one call. */
type CallFact = { readonly path: CallPath } & (
  | ({
      /** A nested call. The model's own calls are stored in `model-output` instead. */
      readonly type: 'call-proposed'
      readonly toolName: string
      readonly input: JsonValue
    } & Pick<CallDetails, 'title' | 'source'>)
  | {
      readonly type: 'approval-requested'
      /** The input after `beforeToolCall`. */
      readonly input: JsonValue
      readonly by: DecidedTool
      /** Target of the call, from the tool's `describe`, and the page on which `describe` ran. */
      readonly about?: CallAbout & { readonly pageId: string }
      /** Why approval is required. Undefined if the app's own rules require it. */
      readonly because?: ApprovalReason
      readonly rememberable?: Rememberable
    }
  | {
      readonly type: 'approval-answered'
      readonly approved: boolean
      readonly reason?: string
      /** Text for the model, with the result of the outermost call. */
      readonly note?: string
      /** The input as a person edited it. */
      readonly input?: JsonValue
    }
  | {
      readonly type: 'question-asked'
      readonly question: string
      readonly options?: readonly string[]
      /** A form instead of a text answer. */
      readonly fields?: FieldsSchema
      /** Names of fields that seem to ask for a secret. */
      readonly sensitive?: readonly string[]
    }
  | {
      readonly type: 'question-answered'
      /** Empty for a form, and if the person gave no answer. */
      readonly answer: string
      /** Answers by field name, for a form. */
      readonly values?: JsonObject
      /** The person gave no answer. */
      readonly action?: 'decline' | 'cancel'
    }
  /** The page must supply the call's output (one-shot mode). */
  | {
      readonly type: 'output-requested'
      readonly input: JsonValue
      /** The page should ask a person before it runs the call. */
      readonly asks: boolean
      /** Source of the untrusted content that the output will hold. */
      readonly untrusted?: string
    }
  /** Committed before the page runs the call. `input`: the executed input, if it differs from the model's. */
  | {
      readonly type: 'call-started'
      readonly executionId: string
      readonly input?: JsonValue
      readonly by: DecidedTool
      /** An earlier execution may have taken effect. */
      readonly repeats: boolean
      /** Id of the consent that made approval unnecessary. */
      readonly consentId?: string
    }
  /** The call provably did not begin, even if approved. The call counts as proposed again, and is decided anew. */
  | { readonly type: 'call-withdrawn' }
  /**
   * The tool's function returned, and the outcome comes later, from the holder of the token. `until`: deadline in ms
   * since 1970.
   * `seen`: only for a composite tool, whose function will run again: number of ended steps and nested calls that the
   * function knew. `token` is then empty.
   */
  | {
      readonly type: 'call-suspended'
      readonly token: string
      readonly until?: number
      readonly seen?: number
    }
  /** A step of a composite tool has ended, and won't be repeated. */
  | { readonly type: 'step-outcome'; readonly key: string; readonly value: JsonValue }
  /** Written before the child conversation exists. */
  | {
      readonly type: 'child-started'
      readonly childConversationId: string
      readonly childRunId: string
    }
  /**
   * Usage of the call's child run so far, failed attempts included. The newest fact replaces earlier ones. `ended`:
   * this is the final count.
   */
  | {
      readonly type: 'child-usage'
      readonly usage: RunUsage
      readonly steps: number
      /** Active time in milliseconds. */
      readonly activeMs: number
      readonly ended: boolean
    }
  /** The call was executing when a crash happened. A person must say whether it took effect. */
  | { readonly type: 'call-interrupted' }
  | { readonly type: 'interruption-resolved'; readonly verdict: InterruptionVerdict }
  /** Final result of the call: its part of the step's tool message. */
  | {
      readonly type: 'call-settled'
      readonly status: SettledStatus
      readonly output: ToolOutput
      /** Additional text for the model, besides the output. */
      readonly note?: string
    }
  /** Committed before the page undoes the call, at a person's request. */
  | { readonly type: 'undo-started' }
  /**
   * Result of the undo. `not-begun`: the undo provably did not start, so it may be requested again. `message`: why the
   * undo failed.
   */
  | {
      readonly type: 'undo-settled'
      readonly status: 'done' | 'failed' | 'not-begun'
      readonly message?: string
    }
)

/** Facts about the conversation: its messages, their branches, and its queue. */
type MessageFact =
  /** Messages from an import, a fork or a late output. Each is the parent of the next. */
  | {
      readonly type: 'messages-imported'
      readonly parentId: string | null
      readonly messages: readonly Identified<Message>[]
    }
  /** Selects another branch, which is then shown and continued. */
  | { readonly type: 'head-moved'; readonly to: string }
  /** Starts a new era: earlier messages are no longer shown or sent, and their branches can't be selected. */
  | { readonly type: 'history-cleared' }
  | { readonly type: 'renamed'; readonly title: string }
  /** Replaces an unreadable stored row. `reason`: which row, and the problem. */
  | { readonly type: 'row-set-aside'; readonly reason: string }
  /** A message from the person or a trigger while a run is open. */
  | { readonly type: 'message-queued'; readonly message: UserContent }
  /**
   * A queued message leaves the queue undelivered. `returned`: a person's message that was still queued when the run
   * ended. Undefined for a trigger's message, and if the person withdrew the message.
   */
  | {
      readonly type: 'message-withdrawn'
      readonly messageId: string
      readonly returned?: UserContent
    }
  /**
   * Changes that the app's `beforeModel` made to a user message before a model read it. Stored even if it changed
   * nothing.
   */
  | ({ readonly type: 'message-amended'; readonly messageId: string } & Amendment)
  /** The queued message joins the conversation. */
  | {
      readonly type: 'message-delivered'
      readonly messageId: string
      readonly parentId: string | null
    }

/** Estimated tokens of the request before and after. Undefined in rows of older versions. */
interface Shrunk {
  readonly tokensBefore?: number
  readonly tokensAfter?: number
}

/**
 * Changes of the model's context. `after`: id of the newest message when the fact was written; null if there was none.
 * The change applies only to branches that contain this message.
 */
type ContextFact = { readonly after: string | null } & (
  | ({ readonly type: 'results-cleared'; readonly paths: readonly CallPath[] } & Shrunk)
  /** The messages from `from` to `to` are sent as `summary`. Applies only if `keptFrom` is on the branch, too. */
  | ({
      readonly type: 'compacted'
      readonly from: string
      readonly to: string
      readonly keptFrom: string | null
      readonly summary: string
      /** Usage of the model calls that wrote the summary. */
      readonly usage?: RunUsage
    } & Shrunk)
  | {
      readonly type: 'skill-activated'
      readonly name: string
      /** Hash of the skill content stored in this fact. */
      readonly hash: string
      readonly text: string
      /** The only tools that may be called while the skill is active, besides control tools. Default: all. */
      readonly restrictTools?: readonly string[]
      /** Paths of the skill's files. */
      readonly files?: readonly string[]
      /** The text doesn't come from the app's own code. */
      readonly loaded?: boolean
      /**
       * Path of the call that activated the skill. Undefined if the skill was already active, and a new run's page has
       * a changed version.
       */
      readonly path?: CallPath
    }
  /** An active skill that the page of a new run no longer has. */
  | { readonly type: 'skill-dropped'; readonly name: string }
  | { readonly type: 'plan-changed'; readonly plan: readonly PlanItem[] }
  /** The model is about to read untrusted content. `path`, `title`: the call that returned it. */
  | {
      readonly type: 'context-tainted'
      readonly origin: string
      readonly path?: CallPath
      readonly title?: string
    }
  /**
   * Remote sources of the tool and skill descriptions in all requests from here on. Replaces the previous list. Empty
   * if all are the app's own.
   */
  | { readonly type: 'descriptions-changed'; readonly origins: readonly string[] }
  | { readonly type: 'memory-retrieved'; readonly items: readonly JsonObject[] }
)

/** Consents that cover several calls. Folded in row order, and valid on every branch. */
type ConsentFact =
  | {
      readonly type: 'consent-given'
      readonly consentId: string
      readonly scope: ConsentScope
      /** Expiry in milliseconds since 1970. Default: until revoked. */
      readonly until?: number
    }
  | { readonly type: 'consent-revoked'; readonly consentId: string }

/** A step of the model's plan. */
export interface PlanItem {
  readonly content: string
  readonly status: PlanStatus
}

/** Progress of a plan's step. `dropped`: the model no longer intends to do it. */
export type PlanStatus = 'pending' | 'in-progress' | 'done' | 'dropped'

/**
 * A stored event of a conversation. Append-only: messages, pending calls, usage and the next action are pure functions
 * of the facts. See docs/format.md for each type.
 */
export type Fact = RunFact | CallFact | MessageFact | ContextFact | ConsentFact

export type FactType = Fact['type']

export type FactOf<Type extends FactType> = Extract<Fact, { readonly type: Type }>

/** Position and time of a stored fact. */
export interface Place {
  readonly format: typeof FORMAT
  readonly conversationId: string
  /** Number of the row within the conversation, from 1 and without gaps. */
  readonly seq: number
  /** The fact's run. Null for facts of the conversation. */
  readonly runId: string | null
  /** Milliseconds since 1970. */
  readonly at: number
  /** Id of the append that wrote the row. Retrying an append with the same id is safe. */
  readonly appendId: string
}

/** A fact with its place: a row of the store. */
export type Row = Fact & Place

export type RowOf<Type extends FactType> = Extract<Row, { readonly type: Type }>

/** A fact before the store assigns its place. */
export type NewRow = Fact & Pick<Place, 'runId' | 'at'>

const FROM_FILE = 'an imported conversation'

/** Returns the fact that taints all branches of an imported conversation, since the author of a file is unknown. */
export function importMark(at: number): NewRow {
  return { type: 'context-tainted', runId: null, after: null, origin: FROM_FILE, at }
}

export function isImportMark(row: Row): boolean {
  if (row.type !== 'context-tainted' || row.path !== undefined) return false
  return row.origin === FROM_FILE && row.after === null
}

/** Version of the lines in an export file; the rows in them have the version `FORMAT`. Newer files are refused. */
export const FILE_VERSION = 1
