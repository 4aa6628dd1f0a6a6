import type { AttemptRef, Ownership } from './delta.ts'
import type { ErrorData } from './error.ts'
import type { UserContent } from './fact.ts'
import type { ParkReason, RunOutcome } from './run.ts'

/** A text or a thought of the open step, as far as it is written. */
export interface LivePart {
  readonly type: 'text' | 'reasoning'
  readonly partId: string
  readonly text: string
}

/** A call of the open step, as far as it is written. */
export interface LiveInput {
  readonly toolCallId: string
  readonly toolName: string
  /** What the tool is called for people. */
  readonly title?: string
  readonly text: string
  readonly isComplete: boolean
}

/** The step that the model is writing. */
export interface LiveStep extends AttemptRef {
  /** Of the message that it becomes. */
  readonly messageId: string
  readonly parts: readonly LivePart[]
  readonly inputs: readonly LiveInput[]
  /** Nobody writes it any more: it was kept of a page or worker that is gone, until the step is asked for again. */
  readonly isLeft?: true
}

/** A wait between two attempts. */
export interface RetryNotice {
  /** From 1: how often the step was tried again. */
  readonly attempt: number
  readonly delayMs: number
  readonly error: ErrorData
}

export interface LeftRun {
  readonly runId: string
  readonly outcome: RunOutcome
  /** It never began: what was written for it. Kept until the next run begins, or the open one ends. */
  readonly message?: UserContent | null | undefined
}

/**
 * What the deltas since the newest facts come to: plain data, for whoever joins later. Facts replace what
 * they make durable.
 */
export interface Live {
  readonly ownership: Ownership
  readonly step: LiveStep | null
  readonly retry: RetryNotice | null
  /** The newest progress of calls that execute, by call. */
  readonly progress: { readonly [toolCallId: string]: unknown }
  /** A commit of this run waits for the storage. */
  readonly waits: {
    readonly runId: string
    readonly reason: ParkReason
    readonly message?: UserContent
  } | null
  /** The run ended here, and not in the store. */
  readonly left: LeftRun | null
}
