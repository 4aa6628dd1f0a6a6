import type { ErrorData } from './error.ts'
import type { JsonValue } from './json.ts'
import type {
  AssistantMessage,
  CallError,
  FinishReason,
  Message,
  ToolOutput,
  Usage,
  UserMessage,
} from './message.ts'
import type { ParkReason, PendingCall, RunLimits } from './run.ts'
import type { SettledStatus } from './tool.ts'

/** Version of the entries below. A newer one in the store is refused with an explanation. */
export const JOURNAL_VERSION = 1

/** What the loop must remember of a call beyond the message that holds it. */
export interface CallFacts {
  readonly toolCallId: string
  /** A registered tool had the name when the model asked. */
  readonly known: boolean
  /** May run beside others. */
  readonly parallel: boolean
  /** The run is done once this call succeeded. */
  readonly finishes?: boolean
  /** Native mode: the model wrote the call as text. */
  readonly rescued?: boolean
  /** May be somebody else's words: unless its tool only reads, a person is asked. */
  readonly quoted?: boolean
}

/** The tool that a call was decided by, as it was then. */
export interface DecidedBy {
  readonly definition: string
  /** Read-only or idempotent: may run again after a crash. */
  readonly replayable: boolean
  /** The tool could say after a crash whether the call happened. */
  readonly reconcilable: boolean
}

/** How a run ended, as journaled. */
export type RunEnd =
  | { readonly outcome: 'completed' | 'max-steps' }
  | { readonly outcome: 'aborted'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly error: ErrorData }
  | { readonly outcome: 'waiting'; readonly pending: readonly PendingCall[] }

/**
 * The facts of a conversation. Append-only; everything else (messages, pending calls, usage, what to
 * do next) is a pure function of these.
 */
export type JournalBody =
  /** `message` is null when the run goes on from outputs that were supplied. */
  | {
      readonly type: 'run-started'
      readonly message: UserMessage | null
      readonly limits: RunLimits
    }
  /** Written before the model is asked. `resumed`: after a crash or reload, not a transport retry. */
  | { readonly type: 'step-started'; readonly step: number; readonly resumed: boolean }
  /** A failed attempt leaves only its usage. */
  | { readonly type: 'attempt-failed'; readonly step: number; readonly usage: Usage }
  /** Message, calls and usage of a step, at once. */
  | {
      readonly type: 'model-output'
      readonly step: number
      readonly message: AssistantMessage
      readonly calls: readonly CallFacts[]
      readonly usage: Usage
      readonly finishReason: FinishReason
      readonly rawFinishReason?: string
      readonly toolMode: 'native' | 'action'
      /** ACTION mode: what was unreadable, to be told to the model. */
      readonly feedback?: CallError
    }
  /** `input`: as `beforeToolCall` left it. */
  | {
      readonly type: 'approval-requested'
      readonly toolCallId: string
      readonly input: JsonValue
      readonly by: DecidedBy
    }
  | {
      readonly type: 'approval-answered'
      readonly toolCallId: string
      readonly approved: boolean
      readonly reason?: string
      readonly input?: JsonValue
    }
  | {
      readonly type: 'question-asked'
      readonly toolCallId: string
      readonly question: string
      readonly options?: readonly string[]
    }
  | { readonly type: 'question-answered'; readonly toolCallId: string; readonly answer: string }
  /** One-shot mode: the page is to supply the call's output. */
  | {
      readonly type: 'output-requested'
      readonly toolCallId: string
      readonly input: JsonValue
      /** A person should be asked before it runs. */
      readonly asks: boolean
    }
  /** Committed before the call is handed to the page. `input`: what runs, when it isn't the model's. */
  | {
      readonly type: 'call-started'
      readonly toolCallId: string
      readonly executionId: string
      readonly input?: JsonValue
      readonly by: DecidedBy
      /** An earlier execution may have had its effect. */
      readonly repeats: boolean
    }
  /** Executing no more: the page has proven that it did not begin, and it is decided anew. */
  | { readonly type: 'call-withdrawn'; readonly toolCallId: string }
  /** Found executing after a crash, and a person is to say what happened. */
  | { readonly type: 'call-interrupted'; readonly toolCallId: string }
  /** The tool message of the call. */
  | {
      readonly type: 'call-settled'
      readonly toolCallId: string
      readonly status: SettledStatus
      readonly output: ToolOutput
      /** Told to the model beside the output. */
      readonly note?: string
    }
  /** The run rests until somebody lets it go on: it kept crashing at the same step. */
  | { readonly type: 'run-parked'; readonly reason: Extract<ParkReason, 'crash-loop'> }
  | { readonly type: 'run-continued' }
  /** `partial`: the text of a step that was cut short. */
  | { readonly type: 'run-ended'; readonly end: RunEnd; readonly partial?: string }
  | { readonly type: 'history-cleared' }
  /** Messages from elsewhere (an import, a fork, a foreign history). */
  | { readonly type: 'messages-imported'; readonly messages: readonly Message[] }

export type JournalEntry = JournalBody & {
  readonly v: typeof JOURNAL_VERSION
  readonly conversationId: string
  /** From 1, without gaps within a conversation. */
  readonly seq: number
  /** Of the run the entry belongs to; null for entries of the conversation. */
  readonly runId: string | null
  /** Milliseconds since 1970. */
  readonly at: number
}

/** An entry before the store has given it its place. */
export type NewEntry = JournalBody & { readonly runId: string | null; readonly at: number }

/** A conversation as the store lists it. */
export interface ConversationRecord {
  readonly conversationId: string
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly lastSeq: number
  /** Of the newest claim, by the store's one counter; an append with an older one is refused. */
  readonly epoch: number
  /** The run that has no end yet. */
  readonly openRunId: string | null
  /** Calls of the newest run that have no outcome yet. */
  readonly openCalls: readonly string[]
  /** What is wrong with the stored rows: readable up to the fault, deletable, and nothing else. */
  readonly broken?: string
}
