import type { ErrorData } from './error.ts'
import type { CallPath, UserContent } from './fact.ts'
import type { SentRequest } from './request.ts'
import type { ParkReason, RunOutcome } from './run.ts'

/** Which attempt at which step a delta belongs to. */
export interface AttemptRef {
  readonly runId: string
  readonly step: number
  /** From 1, within the step. */
  readonly attempt: number
}

type StepDelta = AttemptRef &
  /**
   * The model is asked: after the commit of `step-started`.
   * `messageId`: of the output, or of what there will be of it.
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
        /** What the tool is called for people. */
        readonly title?: string
      }
    | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly delta: string }
    | { readonly type: 'tool-input-end'; readonly toolCallId: string }
    /** What was shown of the step is withdrawn. */
    | { readonly type: 'step-reset'; readonly reason: ErrorData }
    /** The next attempt comes after a wait. `attempt` is the failed one. */
    | {
        readonly type: 'retry'
        /** From 1: how often the step was tried again for a failure. */
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
  /** A resumed call whose tool isn't registered yet. */
  | {
      readonly type: 'tool-unavailable'
      readonly path: CallPath
      readonly toolName: string
      readonly waitMs: number
    }
  /** A commit waits for the storage. `message`: the person's, of a run that isn't stored yet. */
  | {
      readonly type: 'storage-waits'
      readonly reason: ParkReason
      readonly message?: UserContent
    }
  | { readonly type: 'storage-takes' }
  /**
   * The run ends without a fact: it was refused, or it is left to others (the agent was disposed, another
   * tab has taken over, the conversation was deleted), or its end can't be stored. `message`: of a run that
   * never began, what it was asked for with, as far as that can be shown.
   */
  | {
      readonly type: 'run-left'
      readonly outcome: RunOutcome
      readonly message?: UserContent | null | undefined
    }
)

/**
 * Who drives the open run: a worker of this tab, or of another; or nobody does. `'other-device'`: another one has claimed it
 * last, in a store that devices share, and whether it still works on it isn't known.
 */
export type Ownership = 'none' | 'this-tab' | 'other-tab' | 'other-device'

interface OwnershipDelta {
  readonly type: 'ownership-changed'
  readonly ownership: Ownership
}

/** What is published and not stored. Whoever joins later gets what it came to (`Live`). */
export type Delta = StepDelta | RunDelta | OwnershipDelta

export type DeltaType = Delta['type']

export type DeltaOf<Type extends DeltaType> = Extract<Delta, { readonly type: Type }>
