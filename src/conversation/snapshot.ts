import type { Ownership } from '../protocol/delta.ts'
import type { Compaction } from '../protocol/compaction.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { CallPath, ConsentScope, PlanItem, UserContent } from '../protocol/fact.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { RetryNotice } from '../protocol/live.ts'
import type { Amendment, CallError, Message, RunUsage, ToolOutput } from '../protocol/message.ts'
import type { CallAbout, ParkReason, PendingCall, Question, RunOutcome } from '../protocol/run.ts'
import type { Reflection } from '../protocol/state.ts'
import type { AskedBecause, Taint } from '../protocol/taint.ts'
import type { ToolCallStatus, UndoStatus } from '../protocol/tool.ts'

/** A call as a page shows it. */
export interface ShownCall {
  readonly conversationId: string
  readonly toolCallId: string
  readonly toolName: string
  /** What the tool is called for people. */
  readonly title?: string
  /** Whose the tool is, unless it is of the app's own code: the name or origin of a server, of a page. */
  readonly source?: string
  /** The tool changes nothing, by its own word. */
  readonly readOnly?: true
  readonly status: ToolCallStatus
  /** Absent while the model is writing it, and when it could not be read. */
  readonly input?: JsonValue
  /** What it is about to act on, or acted on, as a person was asked. */
  readonly about?: CallAbout
  /** Why a person was asked about it, if they wouldn't have been otherwise. */
  readonly because?: AskedBecause
  /** What the model has written of the input so far. Only while it is writing. */
  readonly inputText?: string
  readonly output?: ToolOutput
  /** What the tool reported last. Only while it executes. */
  readonly progress?: unknown
  /** Why the call can't run. */
  readonly error?: CallError
  readonly question?: Question
  /** Milliseconds since 1970. */
  readonly startedAt?: number
  readonly endedAt?: number
  /** The tool can undo what the call did, and nobody has: `conversation.undo()`. */
  readonly undoable?: true
  /** What became of undoing it. */
  readonly undo?: UndoStatus
  /** The calls that it is nested in, from the outermost inwards, and itself. */
  readonly path: CallPath
  /** The run of another agent that the call began, in a conversation of its own. */
  readonly child?: { readonly conversationId: string; readonly runId: string }
}

/** A message as a page shows it. The calls of an assistant's message are in its `parts` and, as they stand, in `calls`. */
export type ShownMessage = Message & {
  readonly id: string
  /** When it was stored, in milliseconds since 1970. Absent while the model writes it, or the storage is waited for. */
  readonly at?: number
  readonly calls?: readonly ShownCall[]
  /** Of the person's, how the app's `beforeModel` had it sent: with a text behind it, or another one in its place. */
  readonly sent?: Amendment
  /** Of an answer that the agent's `reflect` had something to say of: the remarks, or what stood there before. */
  readonly reflection?: Reflection
  /** The app's `verify` has found the answer wanting, and the model has answered again below it. */
  readonly rejected?: true
}

/** The open run. */
export interface ShownRun {
  readonly runId: string
  /** The step under way, from 1. */
  readonly step: number
  /** Of the step, from 1. */
  readonly attempt: number
  /** The message that the model is writing, while it does. */
  readonly messageId?: string
  /** The model is asked again after a failure. */
  readonly retry?: RetryNotice
  readonly usage: RunUsage
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

/** Where a message has siblings: "2 of 3" is `index` 1 of 3 `ids`. */
export interface ShownBranch {
  readonly index: number
  readonly ids: readonly string[]
}

/** A person's consent to later calls of a tool. Over with `conversation.revoke(consentId)`. */
export interface ShownConsent {
  readonly consentId: string
  readonly toolName: string
  /** What the tool is called for people. */
  readonly title?: string
  /** Over with the run in which it was given, or lasting as long as the conversation. */
  readonly within: ConsentScope['within']
  /** Of what the tool's `consentKey` says: only calls with the same run unasked. */
  readonly key?: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A conversation as a page shows it. Immutable; what didn't change keeps its identity. */
export interface ConversationSnapshot {
  readonly conversationId: string
  readonly status: 'loading' | 'idle' | 'running' | 'waiting'
  readonly title?: string
  /** Without those that Offstage wrote for the model. */
  readonly messages: readonly ShownMessage[]
  /** How many come before these, and are on their way. */
  readonly older: number
  readonly pending: readonly PendingCall[]
  /** Of the open run. */
  readonly runId?: string
  readonly run?: ShownRun
  /**
   * What the newest run used, open or ended: by itself (`own`), and together with the agents that its calls asked
   * (`total`).
   */
  readonly spent?: { readonly own: RunUsage; readonly total: RunUsage }
  /** Why the open run rests until there is room in the storage, or `continue()` lets it go on. */
  readonly parked?: ParkReason
  /** How the last run ended, while none is open. */
  readonly ended?: RunOutcome & { readonly runId: string }
  /** Why the last run failed, or why the stored messages can't be read. */
  readonly error?: ErrorData
  /** Who drives the open run; of one that waits for agents that it called, who drives those. Nobody, where it rests. */
  readonly ownership: Ownership
  /** By message, for those that have siblings. */
  readonly branches: { readonly [messageId: string]: ShownBranch }
  /** The model's plan, by the control tool `plan`. Absent when nothing of it is left to be done. */
  readonly plan?: readonly PlanItem[]
  /**
   * Written by the person while the run is open, and not yet part of the conversation, in their order. Those with
   * `when: 'after-run'` begin the next one.
   */
  readonly queued: readonly UserContent[]
  /**
   * What was written for the newest run and is no message of the conversation: until the next run begins. What was sent
   * to it and found by its end alone (in all tabs); and, on this page, what was to begin it if that was refused or given
   * up before it was stored, until the run that was in its way ends.
   */
  readonly unsent?: UserContent
  /** Where older results or messages ceased to be sent, on this branch, oldest first. Absent when none did. */
  readonly compactions?: readonly Compaction[]
  /** Whose words the next request to the model holds, or what was made of them: one for each origin. Empty: nobody's. */
  readonly taint: readonly Taint[]
  /** What a person has consented to beyond single calls, and is in force. Oldest first. */
  readonly consents: readonly ShownConsent[]
  /** Stored rows that can't be read, and why, oldest first. Absent: none. */
  readonly setAside?: readonly string[]
}
