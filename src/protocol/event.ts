import type { ErrorData } from './error.ts'
import type { CallPath, ReflectMode } from './fact.ts'
import type { JsonValue } from './json.ts'
import type {
  CallError,
  FilePart,
  FinishReason,
  Message,
  ToolOutput,
  Usage,
  UserMessage,
} from './message.ts'
import type { SentRequest } from './delta.ts'
import type { CallAbout, PauseReason, PendingCall, Question, RunResult } from './run.ts'
import type { ApprovalReason } from './taint.ts'
import type { SettledStatus } from './tool.ts'

/**
 * An event of a run, as the page's handles get it. An event about a fact comes after the fact is stored; deltas aren't
 * stored. `partId` identifies a part within the run: its start, deltas and end have the same `partId`.
 */
export type RunEventBody =
  | { readonly type: 'run-start'; readonly message: UserMessage | null }
  /** First event for a late listener: the run's messages, and the current step's text so far. */
  | {
      readonly type: 'run-snapshot'
      readonly messages: readonly Message[]
      readonly pending: readonly PendingCall[]
      readonly step: number
      readonly text: string
      /** Why the run is paused. */
      readonly paused?: PauseReason
    }
  /**
   * The run pauses until the storage accepts writes again, or somebody continues the run. `message`: the user message
   * of a run that isn't stored yet.
   */
  | {
      readonly type: 'run-paused'
      readonly reason: PauseReason
      readonly message?: UserMessage
    }
  | { readonly type: 'run-continued' }
  /** A user message arrived while the run is open, and was queued. */
  | { readonly type: 'message-queued'; readonly message: UserMessage }
  /**
   * A queued message joined the conversation. `nextRunId`: id of the run that starts with this message when the current
   * run ends.
   */
  | {
      readonly type: 'message-delivered'
      readonly messageId: string
      readonly nextRunId?: string
    }
  /**
   * A queued message was discarded. The person withdrew it, or its trigger sent a newer one. A trigger's message is
   * also discarded if the run ends first.
   */
  | { readonly type: 'message-withdrawn'; readonly messageId: string }
  /** A queued message is returned to the person undelivered, because the run has ended. */
  | { readonly type: 'message-returned'; readonly message: UserMessage }
  | { readonly type: 'step-start'; readonly step: number; readonly attempt: number }
  | { readonly type: 'text-start'; readonly partId: string }
  | { readonly type: 'text-delta'; readonly partId: string; readonly delta: string }
  | { readonly type: 'text-end'; readonly partId: string }
  | { readonly type: 'reasoning-start'; readonly partId: string }
  | { readonly type: 'reasoning-delta'; readonly partId: string; readonly delta: string }
  | { readonly type: 'reasoning-end'; readonly partId: string }
  | { readonly type: 'tool-input-start'; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'tool-input-end'; readonly toolCallId: string }
  /** A file that the model produced, after it was stored. */
  | { readonly type: 'file'; readonly messageId: string; readonly file: FilePart }
  /**
   * A stored call of the model. With a `path`: a nested call. With `error` instead of `input`: a call that can't run.
   */
  | ({
      readonly type: 'tool-call'
      readonly toolCallId: string
      readonly path?: CallPath
      readonly toolName: string
      /** Native mode: the model wrote the call as text. */
      readonly rescued?: boolean
    } & (
      | { readonly input: JsonValue; readonly error?: never }
      | { readonly error: CallError; readonly input?: never }
    ))
  | {
      readonly type: 'tool-approval-request'
      readonly toolCallId: string
      readonly path?: CallPath
      readonly toolName: string
      readonly input: JsonValue
      /** Target of the call, if its tool describes it. */
      readonly about?: CallAbout
      /** Why approval is required. Undefined if the app's own rules require it. */
      readonly because?: ApprovalReason
      /** See `PendingCall`. */
      readonly rememberable?: { readonly key?: string }
    }
  | {
      readonly type: 'tool-approval-response'
      readonly toolCallId: string
      readonly path?: CallPath
      readonly approved: boolean
      readonly reason?: string
      /** The input as edited by a person. */
      readonly input?: JsonValue
    }
  | {
      readonly type: 'tool-execution-start'
      readonly toolCallId: string
      readonly path?: CallPath
      readonly toolName: string
      readonly input: JsonValue
    }
  | {
      readonly type: 'tool-progress'
      readonly toolCallId: string
      readonly path?: CallPath
      readonly progress: unknown
    }
  | {
      readonly type: 'tool-result'
      readonly toolCallId: string
      readonly path?: CallPath
      readonly toolName: string
      readonly status: SettledStatus
      readonly output: ToolOutput
    }
  /** A long-running call waits for `agent.settle()`. */
  | {
      readonly type: 'tool-suspended'
      readonly toolCallId: string
      readonly path?: CallPath
      readonly toolName: string
      /** Token that the tool returned with `pending()`. */
      readonly resumeToken: string
      /** Deadline for the outcome, in milliseconds since 1970. */
      readonly until?: number
    }
  /** A resumed call waits up to `waitMs` for its tool to be registered. */
  | {
      readonly type: 'tool-unavailable'
      readonly toolCallId: string
      readonly path?: CallPath
      readonly toolName: string
      readonly waitMs: number
    }
  /** A call was interrupted, and may have had an effect. The call waits for a person's decision. */
  | {
      readonly type: 'tool-interrupted'
      readonly toolCallId: string
      readonly path?: CallPath
      readonly toolName: string
      readonly input: JsonValue
    }
  | ({
      readonly type: 'question'
      readonly toolCallId: string
      readonly path?: CallPath
    } & Question)
  /** The app's `verify` rejected the step's answer. The model gets the feedback and answers again. */
  | { readonly type: 'answer-rejected'; readonly step: number; readonly feedback: string }
  /** A second model call has reviewed the answer: `text` holds its remarks, or the replacement for the answer. */
  | {
      readonly type: 'answer-reflected'
      readonly step: number
      readonly messageId: string
      readonly mode: ReflectMode
      readonly text: string
    }
  /** Withdraws the step's output so far. The step runs again, or its text is streamed again. */
  | { readonly type: 'step-reset'; readonly step: number; readonly reason: ErrorData }
  | {
      readonly type: 'step-end'
      readonly step: number
      readonly usage: Usage
      readonly finishReason: FinishReason
      readonly rawFinishReason?: string
    }
  | {
      readonly type: 'retry'
      readonly attempt: number
      readonly delayMs: number
      readonly error: ErrorData
    }
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  /** The request to the model, before any part of its answer. Only with `requests: true`. */
  | {
      readonly type: 'request'
      readonly step: number
      readonly attempt: number
      readonly request: SentRequest
    }
  | { readonly type: 'raw'; readonly data: unknown }
  | { readonly type: 'run-end'; readonly result: RunResult }

/** An event as the page sees it. `seq` starts at 0 and has no gaps within one handle. */
export type RunEvent = RunEventBody & {
  readonly runId: string
  readonly conversationId: string
  readonly seq: number
}
