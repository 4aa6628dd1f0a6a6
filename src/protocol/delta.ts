import type { ErrorData } from './error.ts'
import type { CallPath, UserContent } from './fact.ts'
import type { PauseReason, RunOutcome } from './run.ts'
import type { Message } from './message.ts'
import type { ToolDefinition } from './tool.ts'

/** The attempt and step of a delta. */
export interface AttemptRef {
  readonly runId: string
  readonly step: number
  /** Number of the attempt within the step, from 1. */
  readonly attempt: number
}

type StepDelta = AttemptRef &
  /**
   * The model is called, after the commit of `step-started`.
   * `messageId`: id that the answer's message will have, even if the answer is cut short.
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
    /** Withdraws all output of the step so far. */
    | { readonly type: 'step-reset'; readonly reason: ErrorData }
    /** A wait before the next attempt. `attempt`: number of the failed attempt. */
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
      readonly reason: PauseReason
      readonly message?: UserContent
    }
  | { readonly type: 'storage-takes' }
  /**
   * The run ends on this page without a fact. It was refused, its end can't be stored, the agent was disposed, another
   * tab took the run over, or the conversation was deleted. `message`: for a run that never began, its user message, as
   * far as it can be shown.
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

/** Text or reasoning of the current step so far. */
export interface LivePart {
  readonly type: 'text' | 'reasoning'
  readonly partId: string
  readonly text: string
}

/** A call of the current step, with its input so far. */
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
  /** Id that the step's message will have. */
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

interface LeftRun {
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
    readonly reason: PauseReason
    readonly message?: UserContent
  } | null
  /** The run that ended on this page, but not in the store. */
  readonly left: LeftRun | null
}

/** Estimated tokens of a request, by purpose. */
export interface RequestTokens {
  /** Instructions, without the tool descriptions of ACTION mode. */
  readonly instructions: number
  /** Tools and skills, regardless of where the request describes them. */
  readonly tools: number
  /** Messages, without the results counted in `snapshots`. */
  readonly history: number
  /** Results of tools with `supersedes`, such as pages that page tools read. */
  readonly snapshots: number
  /** Live context, memories, the plan and notices. */
  readonly context: number
}

/** A request to a model in the package's own terms, without address, key and headers. */
export interface SentRequest {
  readonly provider: string
  readonly model: string
  /** `action`: the instructions describe the tools, and the server gets no tool definitions. */
  readonly toolMode: 'native' | 'action'
  readonly instructions?: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  /** Sent after the messages. */
  readonly context?: string
  readonly tokens: RequestTokens
}
