import type { AttemptRef, Ownership } from './delta.ts'
import type { ErrorData } from './error.ts'
import type { UserContent } from './fact.ts'
import type { ParkReason, RunOutcome } from './run.ts'

/** Text or reasoning of the current step, as received so far. */
export interface LivePart {
  readonly type: 'text' | 'reasoning'
  readonly partId: string
  readonly text: string
}

/** A call of the current step, as received so far. */
export interface LiveInput {
  readonly toolCallId: string
  readonly toolName: string
  /** The tool's display title. */
  readonly title?: string
  readonly text: string
  readonly isComplete: boolean
}

/** The step that the model is streaming. */
export interface LiveStep extends AttemptRef {
  /** Id of the message that the step becomes. */
  readonly messageId: string
  readonly parts: readonly LivePart[]
  readonly inputs: readonly LiveInput[]
  /** The step is abandoned: its page or worker is gone. Kept until the step starts again. */
  readonly isLeft?: true
}

/** A wait between two attempts. */
export interface RetryNotice {
  /** Number of retries of the step, from 1. */
  readonly attempt: number
  readonly delayMs: number
  readonly error: ErrorData
}

export interface LeftRun {
  readonly runId: string
  readonly outcome: RunOutcome
  /** User message of a run that never began. Kept until the next run begins, or the open one ends. */
  readonly message?: UserContent | null | undefined
}

/**
 * Accumulated deltas since the newest facts, as plain data for pages that join later. Facts replace the deltas that
 * they make durable.
 */
export interface Live {
  readonly ownership: Ownership
  readonly step: LiveStep | null
  readonly retry: RetryNotice | null
  /** The newest progress of executing calls, by call. */
  readonly progress: { readonly [toolCallId: string]: unknown }
  /** The run whose commit waits for the storage. */
  readonly waits: {
    readonly runId: string
    readonly reason: ParkReason
    readonly message?: UserContent
  } | null
  /** A run that ended on this page, but not in the store. */
  readonly left: LeftRun | null
}
