import type { DecidedBy, RunEnd } from '../protocol/journal.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { CallError, FinishReason, RunUsage } from '../protocol/message.ts'
import type { ParkReason, PendingCall, RunLimits } from '../protocol/run.ts'
import type { ToolCallStatus } from '../protocol/tool.ts'
import type { Repetition } from './repetition.ts'

/** A call of the run's newest step. */
export interface CallState {
  readonly toolCallId: string
  readonly toolName: string
  /** What runs: the model's input, as a hook or a person may have changed it. */
  readonly input: JsonValue
  readonly modelInput: JsonValue
  /** A person changed the input when approving. */
  readonly edited: boolean
  /** The call can't run; set when the model's words could not be read. */
  readonly error: CallError | null
  readonly known: boolean
  readonly parallel: boolean
  /** The run is done once this call succeeded. */
  readonly finishes: boolean
  /** May be somebody else's words. */
  readonly quoted: boolean
  /** One-shot mode: a person should be asked. */
  readonly asks: boolean
  readonly status: ToolCallStatus
  /** Of the newest start. */
  readonly executionId: string | null
  /** How often the call was handed to the page soon after the last time, and not proven to have not begun. */
  readonly starts: number
  /** Of the newest start; 0 before the first. */
  readonly startedAt: number
  /** How often the page proved that it had not begun. */
  readonly withdrawals: number
  /** An earlier execution than the newest may have had its effect. */
  readonly mayHaveBegun: boolean
  /** Null before the call is decided. */
  readonly decidedBy: DecidedBy | null
}

/**
 * The open run: a pure fold over its entries, small whatever the length of the conversation.
 * Messages and past steps are kept outside of it.
 */
export interface RunState {
  readonly runId: string
  readonly limits: RunLimits
  /** Model outputs so far. */
  readonly steps: number
  /** Resumes of the step under way, each soon after it was begun last. */
  readonly stepResumes: number
  /** When the step was begun last. */
  readonly stepStartedAt: number
  /** A step was begun and has no output yet. */
  readonly stepOpen: boolean
  readonly calls: readonly CallState[]
  /** ACTION mode: what was unreadable in the newest output. */
  readonly feedback: CallError | null
  readonly finishReason: FinishReason
  /** Steps in a row with an invalid call. */
  readonly invalidStreak: number
  /** The newest invalid call's error. */
  readonly lastInvalid: CallError | null
  /** Steps that ask for the same over and over. */
  readonly repetition: Repetition
  readonly usage: RunUsage
  /** It rests until somebody lets it go on. */
  readonly parked: ParkReason | null
  readonly end: RunEnd | null
}

export function isSettled(call: CallState): boolean {
  switch (call.status) {
    case 'invalid':
    case 'denied':
    case 'succeeded':
    case 'failed':
    case 'aborted':
    case 'interrupted':
      return true
    case 'proposed':
    case 'approved':
    case 'executing':
    case 'awaiting-approval':
    case 'awaiting-answer':
    case 'awaiting-output':
    case 'awaiting-decision':
      return false
    default:
      return call.status satisfies never
  }
}

/** It rests until somebody lets it go on. */
export function isParked(run: RunState | null): boolean {
  return run !== null && run.end === null && run.parked !== null
}

/** What a person or the page still has to say, in the order of the calls. */
export function pendingCalls(run: RunState): PendingCall[] {
  const pending: PendingCall[] = []
  for (const call of run.calls) {
    const kind = pendingKind(call)
    if (kind !== null) {
      pending.push({
        toolCallId: call.toolCallId,
        toolName: call.toolName,
        input: call.input,
        kind,
        ...(call.asks && { asks: true }),
      })
    }
  }
  return pending
}

function pendingKind(call: CallState): PendingCall['kind'] | null {
  switch (call.status) {
    case 'awaiting-approval':
      return 'approval'
    case 'awaiting-answer':
      return 'answer'
    case 'awaiting-output':
      return 'output'
    case 'awaiting-decision':
      return 'decision'
    case 'proposed':
    case 'approved':
    case 'executing':
    case 'invalid':
    case 'denied':
    case 'succeeded':
    case 'failed':
    case 'aborted':
    case 'interrupted':
      return null
    default:
      return call.status satisfies never
  }
}
