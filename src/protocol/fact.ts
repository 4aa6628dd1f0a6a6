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
  TextPart,
  ToolOutput,
  RunUsage,
  UserMessage,
  Usage,
} from './message.ts'
import type { CallAbout, LimitName, ParkReason, PendingCall, RunLimits } from './run.ts'
import type { AskedBecause } from './taint.ts'
import type { SettledStatus } from './tool.ts'

/** Of the rows below and of records. What a newer one means, older code doesn't know, and refuses. */
export const FORMAT = 2

/** The ids of a call and of those it is nested in, from the outermost inwards; its own is the last. */
export type CallPath = readonly string[]

/** A message as a fact bears it: with its id. */
export type Identified<Kind extends Message> = Kind & { readonly id: string }

/** What a person wrote, a trigger sent, or an agent asks of another one. */
export interface UserContent extends Pick<UserMessage, 'parts' | 'trigger' | 'untrusted'> {
  readonly id: string
  /** Of what is queued: it begins the next run, unless this one comes to nothing. */
  readonly when?: 'after-run'
  /** With `when`: this run takes it at its next step, if it has one. */
  readonly orSooner?: true
}

/** What the loop must remember of a call beyond the message that holds it. */
export interface CallFacts {
  readonly toolCallId: string
  /** A registered tool had the name when the model asked. */
  readonly known: boolean
  /** May run beside others. */
  readonly parallel: boolean
  /** What the tool is called for people, when the model asked. */
  readonly title?: string
  /** Whose the tool was then, unless it was of the app's own code. */
  readonly source?: string
  /** The tool changed nothing then, by its own word. */
  readonly readOnly?: boolean
  /** The run is done once this call succeeded. */
  readonly finishes?: boolean
  /** Native mode: the model wrote the call as text. */
  readonly rescued?: boolean
  /** May be somebody else's words: unless its tool only reads, a person is asked. */
  readonly quoted?: boolean
}

/** The tool that a call was decided by, as it was then. */
export interface DecidedBy {
  /** Hash of the tool's definition. */
  readonly definition: string
  /** Read-only or idempotent: may run again after a crash. */
  readonly replayable: boolean
  /** The tool could say after a crash whether the call happened. */
  readonly reconcilable: boolean
  /** Made of nested calls and steps, which are remembered: it may be run again, and goes on where it was. */
  readonly composite?: true
  /** The tool can undo what a call did. */
  readonly undoable?: true
  /** Its output holds words of others: whose. */
  readonly untrusted?: string
}

/**
 * What a person may consent to beyond a call that they are asked about: later calls of its tool. Absent where they are
 * asked each time.
 */
export interface Rememberable {
  /** Of what the tool's `consentKey` says: only calls with the same. */
  readonly key?: string
  /** Ends when the model reads untrusted content of anybody but the tool's own source. */
  readonly openWorld?: true
  /** Source of a remote tool. */
  readonly source?: string
}

export const CONSENT_SPANS = ['run', 'conversation'] as const

/** Which calls a person has consented to: those of one tool, as it was defined then. */
export interface ConsentScope extends Rememberable {
  readonly toolName: string
  /** What the tool is called for people. */
  readonly title?: string
  /** Hash of the tool's definition. */
  readonly definition: string
  /** Of the run of the fact, or of the conversation. */
  readonly within: (typeof CONSENT_SPANS)[number]
}

/** What becomes of what a second model call says of an answer: it is shown beside it, or takes its place. */
export type ReflectMode = 'annotate' | 'replace'

/** How a run ended, as stored. */
export type RunEnd =
  /** `finishReason`: why the answer isn't whole. */
  | { readonly outcome: 'completed'; readonly finishReason?: FinishReason }
  | { readonly outcome: 'max-steps' }
  | { readonly outcome: 'limit'; readonly limit: LimitName }
  | { readonly outcome: 'aborted'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly error: ErrorData }
  | { readonly outcome: 'waiting'; readonly pending: readonly PendingCall[] }

/** What a person says happened to an interrupted call. */
export type InterruptionVerdict = 'happened' | 'did-not-happen' | 'run-again'

/** Facts about a run as a whole, and about its steps. */
type RunFact =
  /** `message` is null when the run goes on from outputs that were supplied. */
  | {
      readonly type: 'run-started'
      readonly parentId: string | null
      readonly message: UserContent | null
      readonly limits: RunLimits
      /** It works for the call that began the conversation. */
      readonly forCall?: true
    }
  /** Written before the model is asked. `resumed`: after a crash or reload, not a transport retry. */
  | {
      readonly type: 'step-started'
      readonly step: number
      readonly resumed: boolean
      /** It was reached: the model is asked for its last answer. */
      readonly limit?: LimitName
    }
  /** Written where `minutes` are limited: since the row before, nobody has driven the run. */
  | { readonly type: 'run-taken-up' }
  /** Of a failed attempt nothing but this is kept. */
  | {
      readonly type: 'attempt-failed'
      readonly step: number
      readonly attempt: number
      readonly usage: Usage
      readonly error: ErrorData
    }
  /** Message, calls and usage of a step, at once. */
  | {
      readonly type: 'model-output'
      readonly step: number
      readonly attempt: number
      readonly parentId: string | null
      readonly message: Identified<AssistantMessage>
      /** Of the message that holds the results; null when there are no calls. */
      readonly toolsId: string | null
      readonly calls: readonly CallFacts[]
      readonly usage: Usage
      readonly finishReason: FinishReason
      readonly rawFinishReason?: string
      readonly toolMode: 'native' | 'action'
      /** The form in which the endpoint took the request after it had refused it: `providers/core/request-form.ts`. */
      readonly form?: {
        /** Digest of the model's configuration. */
        readonly key: string
        readonly changes: readonly string[]
        readonly at: number
      }
      /** ACTION mode: what was unreadable, and the message that the model gets. */
      readonly feedback?: { readonly id: string; readonly error: CallError; readonly text: string }
      /** The model would be done, and is told of its plan's open items: the run goes on. Once in a run. */
      readonly reminder?: { readonly id: string; readonly text: string }
    }
  /** A step ended without an output. `message`: what there was of it; it stands where the output would. */
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
      /** The run goes on with what a person wrote instead: it counts as a step. */
      readonly goesOn?: true
    }
  /** The app's `verify` has found the answer wanting: the model is told so, and the run goes on. */
  | {
      readonly type: 'answer-rejected'
      readonly step: number
      readonly parentId: string | null
      /** What the model is told. */
      readonly message: { readonly id: string; readonly text: string }
    }
  /** A second model call has looked at the answer of the step. Once for each answer. */
  | {
      readonly type: 'answer-reflected'
      readonly step: number
      /** Of the answer. */
      readonly messageId: string
      readonly mode: ReflectMode
      /** What is shown beside the answer, or takes its place. Null: nothing of use came of it, and the answer stays. */
      readonly text: string | null
      /** Of the model calls that it took. */
      readonly usage: RunUsage
    }
  /** The run rests until somebody lets it go on. */
  | { readonly type: 'run-parked'; readonly reason: DurableParkReason }
  | { readonly type: 'run-continued' }
  /** `next`: the run that begins in the same append, with what was written for after this one. */
  | { readonly type: 'run-ended'; readonly end: RunEnd; readonly next?: string }

/** Why a run is parked in the store; the other reasons are that the store can't be written. */
export type DurableParkReason = Extract<ParkReason, 'crash-loop'>

/** Facts about one call. */
type CallFact = { readonly path: CallPath } & (
  | ({
      /** A call that the call around it makes; a model's calls come with its output. */
      readonly type: 'call-proposed'
      readonly toolName: string
      readonly input: JsonValue
    } & Pick<CallFacts, 'title' | 'source'>)
  | {
      readonly type: 'approval-requested'
      /** As `beforeToolCall` left it. */
      readonly input: JsonValue
      readonly by: DecidedBy
      /** What the tool says that it is about to act on, on the page that was asked. */
      readonly about?: CallAbout & { readonly pageId: string }
      /** Absent: it would have been asked about without that, too. */
      readonly because?: AskedBecause
      readonly rememberable?: Rememberable
    }
  | {
      readonly type: 'approval-answered'
      readonly approved: boolean
      readonly reason?: string
      /** The input as a person edited it. */
      readonly input?: JsonValue
    }
  | {
      readonly type: 'question-asked'
      readonly question: string
      readonly options?: readonly string[]
      /** A form in place of a text. */
      readonly fields?: FieldsSchema
      /** Names of those that seem to ask for a secret. */
      readonly sensitive?: readonly string[]
    }
  | {
      readonly type: 'question-answered'
      /** Empty where the answer isn't a text. */
      readonly answer: string
      /** Of the fields. */
      readonly values?: JsonObject
      /** The person gave no answer. */
      readonly action?: 'decline' | 'cancel'
    }
  /** One-shot mode: the page is to supply the call's output. */
  | {
      readonly type: 'output-requested'
      readonly input: JsonValue
      /** A person should be asked before it runs. */
      readonly asks: boolean
      /** The output will hold words of others: whose. */
      readonly untrusted?: string
    }
  /** Committed before the call is handed to the page. `input`: what runs, when it isn't the model's. */
  | {
      readonly type: 'call-started'
      readonly executionId: string
      readonly input?: JsonValue
      readonly by: DecidedBy
      /** An earlier execution may have had its effect. */
      readonly repeats: boolean
      /** It was not asked about: this consent is in force. */
      readonly consentId?: string
    }
  /** Executing no more: the page has proven that it did not begin, and it is decided anew. */
  | { readonly type: 'call-withdrawn' }
  /**
   * Its function ended, and its outcome comes later: whoever has it is known by the token. `until`: ms since 1970.
   * `seen`: the function of a composite tool, which is run again; so much of what ended within the call it knew.
   * The token is empty then.
   */
  | {
      readonly type: 'call-suspended'
      readonly token: string
      readonly until?: number
      readonly seen?: number
    }
  /** A step within the call was done: it isn't done again. */
  | { readonly type: 'step-outcome'; readonly key: string; readonly value: JsonValue }
  /** Written before the conversation that it names exists. */
  | {
      readonly type: 'child-started'
      readonly childConversationId: string
      readonly childRunId: string
    }
  /** Found executing after a crash, and a person is to say what happened. */
  /**
   * What the run that works for the call has used so far, its failed attempts included; the newest one counts.
   * `ended`: there is no more to come.
   */
  | {
      readonly type: 'child-usage'
      readonly usage: RunUsage
      readonly steps: number
      /** How long it was active. Milliseconds. */
      readonly activeMs: number
      readonly ended: boolean
    }
  | { readonly type: 'call-interrupted' }
  | { readonly type: 'interruption-resolved'; readonly verdict: InterruptionVerdict }
  /** What the call came to: its part of the step's tool message. */
  | {
      readonly type: 'call-settled'
      readonly status: SettledStatus
      readonly output: ToolOutput
      /** For the model, beside the output. */
      readonly note?: string
    }
  /** Committed before the page is asked to undo what the call did, when a person has said so. */
  | { readonly type: 'undo-started' }
  /** How that ended. `not-begun`: proven, and it may be asked for again. `message`: why it failed. */
  | {
      readonly type: 'undo-settled'
      readonly status: 'done' | 'failed' | 'not-begun'
      readonly message?: string
    }
)

/** Facts about the conversation: its messages, their branches, and its queue. */
type MessageFact =
  /** Messages from elsewhere (an import, a fork, a late output), each under the one before it. */
  | {
      readonly type: 'messages-imported'
      readonly parentId: string | null
      readonly messages: readonly Identified<Message>[]
    }
  /** Another branch is shown and gone on with. */
  | { readonly type: 'head-moved'; readonly to: string }
  /** A new era: what came before is not shown, not sent, and no branch of it can be taken. */
  | { readonly type: 'history-cleared' }
  | { readonly type: 'renamed'; readonly title: string }
  /** Replaces a stored row that can't be read. `reason`: which row, and what is wrong with it. */
  | { readonly type: 'row-set-aside'; readonly reason: string }
  /** Written by the person while a run is open. */
  | { readonly type: 'message-queued'; readonly message: UserContent }
  /** `returned`: what was queued, where the run ended before it was delivered; else a person took it back. */
  | {
      readonly type: 'message-withdrawn'
      readonly messageId: string
      readonly returned?: UserContent
    }
  /** What the app's `beforeModel` made of a message of the person, before a model read it; both may be absent. */
  | ({ readonly type: 'message-amended'; readonly messageId: string } & Amendment)
  /** The queued message becomes one of the conversation. */
  | {
      readonly type: 'message-delivered'
      readonly messageId: string
      readonly parentId: string | null
    }

/** Tokens of the request before and after, estimated; rows of older versions lack them. */
interface Shrunk {
  readonly tokensBefore?: number
  readonly tokensAfter?: number
}

/**
 * What changes the model's context. Each counts only on branches that hold `after`, the newest message
 * when it was written (null: none).
 */
type ContextFact = { readonly after: string | null } & (
  | ({ readonly type: 'results-cleared'; readonly paths: readonly CallPath[] } & Shrunk)
  /** The messages from `from` to `to` are sent as `summary`. Counts only if `keptFrom` is on the branch, too. */
  | ({
      readonly type: 'compacted'
      readonly from: string
      readonly to: string
      readonly keptFrom: string | null
      readonly summary: string
      /** Of the model calls that the summary took. */
      readonly usage?: RunUsage
    } & Shrunk)
  | {
      readonly type: 'skill-activated'
      readonly name: string
      /** Of all of it that is stored here. */
      readonly hash: string
      readonly text: string
      /** The only tools that may be called while it is active, control tools aside. Absent: all. */
      readonly restrictTools?: readonly string[]
      /** Paths of its files. */
      readonly files?: readonly string[]
      /** The text is not of the app's own code. */
      readonly loaded?: boolean
      /** Of the call that activated it. Absent: it was active, and the page of a new run has it otherwise. */
      readonly path?: CallPath
    }
  /** It was active, and the page of a new run doesn't have it. */
  | { readonly type: 'skill-dropped'; readonly name: string }
  | { readonly type: 'plan-changed'; readonly plan: readonly PlanItem[] }
  /** The model is about to read what others wrote. `path`, `title`: of the call that it came from. */
  | {
      readonly type: 'untrusted-taken-in'
      readonly origin: string
      readonly path?: CallPath
      readonly title?: string
    }
  /**
   * Whose descriptions of tools and skills the requests hold from here on: all of them, in place of those before. An
   * empty list: nobody's but the app's.
   */
  | { readonly type: 'descriptions-taken-in'; readonly origins: readonly string[] }
  | { readonly type: 'memory-retrieved'; readonly items: readonly JsonObject[] }
)

/** Facts about what a person allows beyond a single call; folded in their order, on every branch. */
type ConsentFact =
  | {
      readonly type: 'consent-given'
      readonly consentId: string
      readonly scope: ConsentScope
      /** Milliseconds since 1970; absent: until it is revoked. */
      readonly until?: number
    }
  | { readonly type: 'consent-revoked'; readonly consentId: string }

/** A step of a plan that the model keeps. */
export interface PlanItem {
  readonly content: string
  readonly status: PlanStatus
}

export type PlanStatus = 'pending' | 'in-progress' | 'done' | 'dropped'

/**
 * What happens in a conversation and is stored. Append-only; everything else (messages, pending calls,
 * usage, what to do next, what is shown) is a pure function of these. Each row is explained in
 * docs/format.md.
 */
export type Fact = RunFact | CallFact | MessageFact | ContextFact | ConsentFact

export type FactType = Fact['type']

export type FactOf<Type extends FactType> = Extract<Fact, { readonly type: Type }>

/** Where and when a fact was stored. */
export interface Place {
  readonly format: typeof FORMAT
  readonly conversationId: string
  /** From 1, without gaps within a conversation. */
  readonly seq: number
  /** Of the run the fact belongs to; null for facts of the conversation. */
  readonly runId: string | null
  /** Milliseconds since 1970. */
  readonly at: number
  /** Of the append that wrote it, which may be tried again blindly. */
  readonly appendId: string
}

/** A fact in its place: a row of the store. */
export type Row = Fact & Place

export type RowOf<Type extends FactType> = Extract<Row, { readonly type: Type }>

/** A fact before the store has given it its place. */
export type NewRow = Fact & Pick<Place, 'runId' | 'at'>
