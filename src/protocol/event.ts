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
import type { SentRequest } from './request.ts'
import type { CallAbout, ParkReason, PendingCall, Question, RunResult } from './run.ts'
import type { AskedBecause } from './taint.ts'
import type { SettledStatus } from './tool.ts'

/**
 * What happens in a run, as the page's handles get it. Events of facts follow their commit;
 * deltas are ephemeral. `partId` is unique within a run and equal for start, deltas and end.
 */
export type RunEventBody =
  | { readonly type: 'run-start'; readonly message: UserMessage | null }
  /** To who follows late: the run's messages so far, and the open text of the current step. */
  | {
      readonly type: 'run-snapshot'
      readonly messages: readonly Message[]
      readonly pending: readonly PendingCall[]
      readonly step: number
      readonly text: string
      /** Why the run rests. */
      readonly parked?: ParkReason
    }
  /**
   * The run rests until there is room in the storage, or somebody lets it go on. `message`: the
   * person's, of a run that isn't stored yet.
   */
  | {
      readonly type: 'run-parked'
      readonly reason: ParkReason
      readonly message?: UserMessage
    }
  | { readonly type: 'run-continued' }
  /** What a person wrote while the run is open waits until the model is asked next. */
  | { readonly type: 'message-queued'; readonly message: UserMessage }
  /** It is a message of the conversation now. `nextRunId`: of the run that begins with it, when this one ends. */
  | {
      readonly type: 'message-delivered'
      readonly messageId: string
      readonly nextRunId?: string
    }
  /** It was taken back. */
  | { readonly type: 'message-withdrawn'; readonly messageId: string }
  /** The run ends without it. */
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
  /** A file that the model produced, stored. */
  | { readonly type: 'file'; readonly messageId: string; readonly file: FilePart }
  /** A call, stored: the model's, or, with a `path`, one that another call makes. `error` in place of `input` when it can't run. */
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
      /** What it is about to act on, if its tool says so. */
      readonly about?: CallAbout
      /** Why it is asked, if it wouldn't be otherwise. */
      readonly because?: AskedBecause
      /** See `PendingCall`. */
      readonly rememberable?: { readonly key?: string }
    }
  | {
      readonly type: 'tool-approval-response'
      readonly toolCallId: string
      readonly path?: CallPath
      readonly approved: boolean
      readonly reason?: string
      /** The input as a person edited it. */
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
      /** What the tool returned with `pending()`. */
      readonly resumeToken: string
      /** When the call is waited for no longer. Milliseconds since 1970. */
      readonly until?: number
    }
  /** A resumed call whose tool isn't registered yet; it runs when it is, within `waitMs`. */
  | {
      readonly type: 'tool-unavailable'
      readonly toolCallId: string
      readonly path?: CallPath
      readonly toolName: string
      readonly waitMs: number
    }
  /** A resumed call that may or may not have happened, and waits for a person's decision. */
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
  /** The app's `verify` has found the answer of the step wanting: the model is told so, and answers again. */
  | { readonly type: 'answer-rejected'; readonly step: number; readonly feedback: string }
  /** A second model call has looked at the answer: what it says of it, or what takes its place. */
  | {
      readonly type: 'answer-reflected'
      readonly step: number
      readonly messageId: string
      readonly mode: ReflectMode
      readonly text: string
    }
  /** The step's output so far is withdrawn; the step is asked again, or its text comes anew. */
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
  /** With `requests: true`: what the model is asked with, before anything of its answer. */
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
