import type { ErrorData } from './error.ts'
import type { CallPath, UserContent } from './fact.ts'
import type { SentRequest } from './request.ts'
import type { ParkReason, RunOutcome } from './run.ts'

/** The attempt and step of a delta. */
export interface AttemptRef {
  readonly runId: string
  readonly step: number
  /** From 1, within the step. */
  readonly attempt: number
}

type StepDelta = AttemptRef &
  /**
   * The model is called, after the commit of `step-started`.
   * `messageId`: id of the output message, or of its partial version.
   */
  (
    | { readonly type: 'attempt-started'; readonly messageId: string }
    | { readonly type: 'text-start' | 'reasoning-start'; readonly partId: string }
    | {
        readonly type: 'text-delta' | 'reasoning-delta'
        readonly partId: string
        readonly delta: string
      }
    | { readonly type: 'text-end' | 'reasoning-end'; readonly partId: string }
    | {
        readonly type: 'tool-input-start'
        readonly toolCallId: string
        readonly toolName: string
        /** The tool's display title. */
        readonly title?: string
      }
    | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly delta: string }
    | { readonly type: 'tool-input-end'; readonly toolCallId: string }
    /** Withdraws everything that was shown of the step. */
    | { readonly type: 'step-reset'; readonly reason: ErrorData }
    /** A wait before the next attempt. `attempt` is the failed one. */
    | {
        readonly type: 'retry'
        /** Number of retries of this step after a failure, from 1. */
        readonly retries: number
        readonly delayMs: number
        readonly error: ErrorData
      }
    | { readonly type: 'warning'; readonly code: string; readonly message: string }
    | { readonly type: 'request'; readonly request: SentRequest }
    | { readonly type: 'raw'; readonly data: unknown }
  )

type RunDelta = { readonly runId: string } & (
  | { readonly type: 'tool-progress'; readonly path: CallPath; readonly progress: unknown }
  /** A resumed call waits for its tool to be registered. */
  | {
      readonly type: 'tool-unavailable'
      readonly path: CallPath
      readonly toolName: string
      readonly waitMs: number
    }
  /** A commit waits for the storage. `message`: the user message of a run that isn't stored yet. */
  | {
      readonly type: 'storage-waits'
      readonly reason: ParkReason
      readonly message?: UserContent
    }
  | { readonly type: 'storage-takes' }
  /**
   * The run ends without a fact: it was refused, its end can't be stored, or this page gave it up. A page gives a run
   * up if the agent was disposed, another tab took over, or the conversation was deleted. `message`: for a run that
   * never began, its user message, as far as it can be shown.
   */
  | {
      readonly type: 'run-left'
      readonly outcome: RunOutcome
      readonly message?: UserContent | null | undefined
    }
)

/**
 * Driver of the open run: a worker of this tab, of another tab, or none. `'other-device'`: another device made the
 * newest claim in a shared store. Whether that device is still active isn't known.
 */
export type Ownership = 'none' | 'this-tab' | 'other-tab' | 'other-device'

interface OwnershipDelta {
  readonly type: 'ownership-changed'
  readonly ownership: Ownership
}

/** A published update that isn't stored. Pages that join later get the accumulated deltas as `Live`. */
export type Delta = StepDelta | RunDelta | OwnershipDelta

export type DeltaType = Delta['type']

export type DeltaOf<Type extends DeltaType> = Extract<Delta, { readonly type: Type }>
