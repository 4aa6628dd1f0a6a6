import type { Ownership, RetryNotice } from '../protocol/delta.ts'
import type { Compaction } from '../protocol/compaction.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { CallPath, ConsentScope, PlanItem, UserContent } from '../protocol/fact.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { Amendment, CallError, Message, RunUsage, ToolOutput } from '../protocol/message.ts'
import type { CallAbout, PauseReason, PendingCall, Question, RunOutcome } from '../protocol/run.ts'
import type { Reflection } from '../protocol/state.ts'
import type { ApprovalReason, Taint } from '../protocol/taint.ts'
import type { ToolCallStatus, UndoStatus } from '../protocol/tool.ts'

/** A call as a page shows it. */
export interface ShownCall {
  readonly conversationId: string
  readonly toolCallId: string
  readonly toolName: string
  /** Display name of the tool. */
  readonly title?: string
  /** Source of the tool: the name or origin of a server, or the origin of a page. Undefined for the app's own tools. */
  readonly source?: string
  /** The tool declares that it changes nothing. */
  readonly readOnly?: true
  readonly status: ToolCallStatus
  /** Undefined while the model writes the input, or if the input couldn't be read. */
  readonly input?: JsonValue
  /** Description of what the call acts on, as shown in the approval request. */
  readonly about?: CallAbout
  /** Why approval was requested, if the app's own rules didn't require it. */
  readonly because?: ApprovalReason
  /** Input text so far, while the model writes it. */
  readonly inputText?: string
  readonly output?: ToolOutput
  /** The tool's latest progress. Present only while the call executes. */
  readonly progress?: unknown
  /** Why the call can't run. */
  readonly error?: CallError
  readonly question?: Question
  /** Milliseconds since 1970. */
  readonly startedAt?: number
  readonly endedAt?: number
  /** The call can be undone with `conversation.undo()`, and wasn't undone yet. */
  readonly undoable?: true
  /** Outcome of undoing the call. */
  readonly undo?: UndoStatus
  /** Ids of the enclosing calls, outermost first, then the call's own id. */
  readonly path: CallPath
  /** Child run that the call began, in its own conversation. */
  readonly child?: { readonly conversationId: string; readonly runId: string }
}

/**
 * A message as a page shows it. An assistant's message has its calls in `parts`, and their current state in `calls`.
 */
export type ShownMessage = Message & {
  readonly id: string
  /**
   * When the message was stored, in milliseconds since 1970. Undefined while the message is written or waits to be
   * stored.
   */
  readonly at?: number
  readonly calls?: readonly ShownCall[]
  /** How the app's `beforeModel` changed a person's message for the model: text appended or replaced. */
  readonly sent?: Amendment
  /** Result of the agent's `reflect`: remarks on the answer, or the original text that was replaced. */
  readonly reflection?: Reflection
  /** The app's `verify` rejected this answer. The model answered again below it. */
  readonly rejected?: true
}

/** The open run. */
export interface ShownRun {
  readonly runId: string
  /** Number of the current step, from 1. */
  readonly step: number
  /** Attempt at the step, from 1. */
  readonly attempt: number
  /** Id of the message that the model is writing. */
  readonly messageId?: string
  /** Set while a failed model call waits to be retried. */
  readonly retry?: RetryNotice
  readonly usage: RunUsage
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

/** Position of a message among its siblings: "2 of 3" is `index` 1 of 3 `ids`. */
export interface ShownBranch {
  readonly index: number
  readonly ids: readonly string[]
}

/** A person's consent to later calls of a tool. End it with `conversation.revoke(consentId)`. */
export interface ShownConsent {
  readonly consentId: string
  readonly toolName: string
  /** Display name of the tool. */
  readonly title?: string
  /** Whether the consent ends with the run in which it was given, or lasts as long as the conversation. */
  readonly within: ConsentScope['within']
  /** Value of the tool's `consentKey`. Only calls with the same value run without approval. */
  readonly key?: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A conversation as a page shows it. Immutable. Unchanged parts keep their identity. */
export interface ConversationSnapshot {
  /** Identifies the conversation in the store. */
  readonly conversationId: string
  /**
   * State of the conversation.
   * - `loading`: the newest messages are still being read.
   * - `idle`: no run is open, or no tab or device drives the open run.
   * - `running`: a run is open, and this or another tab or device drives it.
   * - `waiting`: calls in `pending` need an outcome, or the run is paused (`paused`).
   */
  readonly status: 'loading' | 'idle' | 'running' | 'waiting'
  /**
   * Title given by a person or model, otherwise the beginning of the first message with text. Undefined if there is
   * none.
   */
  readonly title?: string
  /** Messages of the current branch, without those that Offstage wrote for the model. */
  readonly messages: readonly ShownMessage[]
  /** Number of older messages that are still loading. */
  readonly older: number
  /** Calls that wait for a person or for an outcome from outside. Empty if there are none. */
  readonly pending: readonly PendingCall[]
  /** Id of the open run. */
  readonly runId?: string
  /** Progress and usage of the open run. Undefined if no run is open, or the open run has ended on this page. */
  readonly run?: ShownRun
  /** Usage of the newest run, open or ended: by itself (`own`), and with its child runs (`total`). */
  readonly spent?: { readonly own: RunUsage; readonly total: RunUsage }
  /** Why the open run is paused. It continues once the storage accepts writes again, or with `continue()`. */
  readonly paused?: PauseReason
  /**
   * Outcome of the last run: `completed`, `max-steps`, `limit`, `aborted`, `failed` or `waiting`, with details.
   * Undefined while a run is open, and before the first one.
   */
  readonly ended?: RunOutcome & { readonly runId: string }
  /**
   * Why the last run failed, or why the stored messages can't be read. Otherwise undefined. The next run removes the
   * error of the last run.
   */
  readonly error?: ErrorData
  /**
   * Driver of the open run. `none` if no tab or device drives it. While the run waits for child runs: the driver of the
   * child runs.
   */
  readonly ownership: Ownership
  /** Position among siblings by message id, for messages with siblings. */
  readonly branches: { readonly [messageId: string]: ShownBranch }
  /** The model's plan, from the control tool `plan`. Undefined when no item is left to do. */
  readonly plan?: readonly PlanItem[]
  /**
   * Messages that were sent while the run is open and aren't part of the conversation yet, oldest first. Messages with
   * `when: 'after-run'` begin the next run.
   */
  readonly queued: readonly UserContent[]
  /**
   * A message that never became part of the conversation; offer it again in the message field. In all tabs: messages
   * that were still queued when a run ended. They are kept until the next run begins, not counting a run that this end
   * started. Only on this page: the message of a run that was refused, or that ended before it was stored. It is kept
   * until the run that blocked it ends.
   */
  readonly unsent?: UserContent
  /**
   * Points on this branch where older results or messages stopped being sent to the model, oldest first. Undefined if
   * there are none.
   */
  readonly compactions?: readonly Compaction[]
  /** Untrusted content in the next model request, and content derived from untrusted content: one entry per origin. */
  readonly taint: readonly Taint[]
  /** Active consents that cover several calls, oldest first. */
  readonly consents: readonly ShownConsent[]
  /** Reasons why stored rows can't be read, oldest first. Undefined if there are none. */
  readonly setAside?: readonly string[]
}

/** Snapshot of a conversation that hasn't been read yet. */
export function emptySnapshot(
  conversationId: string,
  status: ConversationSnapshot['status'],
): ConversationSnapshot {
  return {
    conversationId,
    status,
    messages: [],
    older: 0,
    pending: [],
    ownership: 'none',
    branches: {},
    queued: [],
    taint: [],
    consents: [],
  }
}
