import type { FieldsSchema } from './fields.ts'
import type {
  CompactionChoice,
  CompactionPolicy,
  CompactionSettings,
  CompactionSituation,
} from './compaction.ts'
import type { Remembered } from './composite.ts'
import type { CallPath, Fact, FactOf, ReflectMode } from './fact.ts'
import type { JsonValue } from './json.ts'
import type { Message, ToolOutput } from './message.ts'
import type { Endpoint, ModelConfigData } from './model.ts'
import type { CallAbout, RunToolCall } from './run.ts'
import type { AgentRef, RunRef } from './scope.ts'
import type { ToolDescriptor } from './tool.ts'

export interface StepQuery extends AgentRef, RunRef {
  /** No tools will be offered, so none need to be available. */
  readonly toolless?: boolean
  /** The run is a child run, so sub-agents aren't offered. */
  readonly isChild?: boolean
  /** For a title: uses the title model, without the agent's instructions and context. */
  readonly titles?: boolean
  /** For a reflection on an answer: uses the reflection model. */
  readonly reflects?: boolean
}

/** Settings for reflections on answers. */
export interface ReflectSettings {
  readonly mode: ReflectMode
  /** Instructions for the reflecting model. */
  readonly instructions: string
  /** Time limit in milliseconds. */
  readonly timeoutMs: number
}

/** The page's data for a step. */
export interface StepContext {
  readonly model: ModelConfigData
  /** Id of the full configuration of `model`. The worker requests its credentials by this id. */
  readonly configId: number
  /** The configuration has neither key nor headers, so there are no credentials to request. */
  readonly keyless?: true
  /** The page has an engine for the model's provider. `openEngine` connects to it. */
  readonly engine: boolean
  readonly instructions: string
  /** Live page context, already formatted. */
  readonly context?: string
  readonly tools: readonly ToolDescriptor[]
  /** Skills that the model can activate. Default: none. */
  readonly skills?: readonly SkillRef[]
  /** Names of registered tools that can't be used now: disabled or unavailable. */
  readonly otherTools?: readonly string[]
  readonly hasBeforeToolCall: boolean
  readonly hasVerify?: true
  /** Default: no reflection on answers. */
  readonly reflect?: ReflectSettings
  readonly hasBeforeModel?: true
  /** The agent has memories: `retrieveMemories` must be called for each user message. */
  readonly hasMemory?: true
  /** The agent's `compaction` option. Undefined: the defaults apply. */
  readonly compaction?: CompactionSettings | false
  /** Emit `raw` events. */
  readonly raw: boolean
  /** Emit `request` events. */
  readonly requests?: true
}

/** An answer that would complete the run. */
export interface VerifyAnswer extends AgentRef, RunRef {
  /** Id of the answer's message. A second request for it joins the first. */
  readonly messageId: string
  /** Number of this verification within the run, from 1. */
  readonly round: number
  readonly text: string
  /** The run's tool calls. */
  readonly toolCalls: readonly RunToolCall[]
}

/** A user message that no model has read yet, before it is sent. */
export interface AskBeforeModel extends AgentRef, RunRef {
  /** Step of the run, from 1. */
  readonly step: number
  /** All messages of the next request. The user message is the last. */
  readonly messages: readonly Message[]
}

export interface AskCompaction extends AgentRef, CompactionSituation {}

/** Result of the app's compaction policy. `failed`: the policy threw or took too long. */
export type CompactionAnswer =
  | { readonly type: 'chosen'; readonly choice: CompactionChoice | CompactionPolicy | null }
  | { readonly type: 'failed'; readonly message: string }

export interface AnswerRef extends AgentRef {
  readonly messageId: string
}

/** The parent conversation whose call waits for a child run without an active driver, and the called tool. */
export interface CallerRef extends AgentRef {
  readonly conversationId: string
  readonly toolName: string
}

/** The description of a skill that the model gets before activating it. */
export interface SkillRef {
  readonly name: string
  readonly description: string
  /** The skill's text doesn't come from the app's own code. */
  readonly loaded?: true
}

export interface SkillQuery extends AgentRef {
  readonly name: string
}

/** The stored part of an activated skill. */
export type SkillText = Omit<FactOf<'skill-activated'>, 'type' | 'after' | 'path'>

export interface FieldsQuery extends AgentRef {
  readonly fields: FieldsSchema
}

export interface MemoryQuery extends AgentRef, RunRef {
  /** Text of the message from a person, a parent agent's model or a trigger. */
  readonly query: string
  readonly writtenBy: 'person' | 'model' | 'app'
  /** The conversation is tainted, so the message may hold untrusted content. */
  readonly tainted: boolean
}

export interface CredentialsQuery extends AgentRef {
  readonly configId: number
  readonly endpoint: Endpoint
  /** The previous response had the status 401. */
  readonly previousRejected: boolean
}

export interface CallContext extends AgentRef, RunRef {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: JsonValue
}

export interface ProposedCall extends CallContext {
  /** A person wrote the input: only defaults are filled in, and `beforeToolCall` isn't called. */
  readonly edited?: true
}

export interface DescribeCall extends CallContext {
  /** Data of the description that a person saw earlier, perhaps on a page that is gone. */
  readonly previous?: JsonValue
}

/** `failed`: `describe` threw, so there is no target to approve. */
export type CallDescription =
  | { readonly type: 'described'; readonly about: CallAbout }
  | { readonly type: 'nothing' }
  | { readonly type: 'failed'; readonly output: ToolOutput }

export type BeforeToolCallVerdict =
  | { readonly type: 'go'; readonly input: JsonValue }
  | { readonly type: 'veto'; readonly reason: string }

export interface ExecuteTool extends CallContext {
  /** The input with its secret values, passed only to the tool's function. Undefined if it has no secrets. */
  readonly whole?: JsonValue
  /** Id of this execution. A second request with the same id joins the first and runs nothing. */
  readonly executionId: string
  /** Equal for all executions of one call. */
  readonly idempotencyKey: string
  /** Maximum time from `leasedAt` to the start, and again from the start to the end. */
  readonly timeoutMs: number
  /** The worker's monotonic clock, in milliseconds, when it last confirmed that it owns the conversation. */
  readonly leasedAt: number
  /**
   * Epoch of the conversation's owner, passed to the tool as `fence`. The page refuses an epoch older than one it has
   * seen.
   */
  readonly epoch: number
  /** Id of the store that counts the epochs. */
  readonly storeId: string
  /** Hash of the tool's definition when the call was decided. */
  readonly definition: string
  /** The page starts the tool only after handling this batch of the run's events. */
  readonly afterBatch: number
  /** Data of the target that a person approved, from the tool's `describe`. */
  readonly about?: JsonValue
  /** Path of a nested call. */
  readonly path?: CallPath
  /** The input may hold untrusted content: `ToolContext.tainted`. */
  readonly tainted?: true
  /** For a composite tool: the stored results of its nested calls and steps. */
  readonly remembered?: Remembered
}

export type ToolOutcome =
  /** `untrusted`: source of the untrusted content in this output, if the tool marked it. */
  | { readonly status: 'succeeded'; readonly output: ToolOutput; readonly untrusted?: string }
  /** Threw, rejected or timed out. */
  | { readonly status: 'failed'; readonly output: ToolOutput; readonly untrusted?: string }
  /** The tool stopped after its signal was aborted. A partial effect does no harm. */
  | { readonly status: 'aborted'; readonly output: ToolOutput }
  /** The page's own schema refused the input; the tool did not run. */
  | { readonly status: 'invalid'; readonly output: ToolOutput }
  /**
   * The tool's function returned, and the outcome comes later, from the holder of the token. `until`: ms since 1970.
   */
  | { readonly status: 'suspended'; readonly token: string; readonly until?: number }
  /** The function of a composite tool waits for its nested calls and must run again. `seen`: see `call-suspended`. */
  | { readonly status: 'suspended'; readonly seen: number }
  /** The call can't be resumed. */
  | { readonly status: 'interrupted'; readonly output: ToolOutput }
  /** The tool began, and its outcome is unknown. `running`: it is still running. */
  | { readonly status: 'unknown'; readonly output: ToolOutput; readonly running: boolean }
  /**
   * Proof that the tool has not run under this `executionId` and never will. `changed`: the tool's definition has
   * changed since the call was decided. `unconfirmed`: the lease could not be confirmed.
   */
  | {
      readonly status: 'not-started'
      readonly reason:
        | 'deadline'
        | 'stale-epoch'
        | 'not-registered'
        | 'cancelled'
        | 'changed'
        | 'unconfirmed'
    }

export type ReconcileVerdict =
  | { readonly type: 'happened'; readonly output: ToolOutput }
  | { readonly type: 'did-not-happen' }
  | { readonly type: 'unknown' }

export interface ReconcileTool extends CallContext {
  readonly idempotencyKey: string
  readonly epoch: number
}

/** A call that a person wants to undo. */
export interface UndoTool extends CallContext {
  readonly output: ToolOutput
  /** Equal for all attempts to undo this call. */
  readonly idempotencyKey: string
}

/**
 * `not-begun`: the agent is disposed or the tool has no `undo`. `unknown`: the undo took too long, and its outcome is
 * unknown.
 */
export type UndoOutcome =
  | { readonly status: 'done' | 'not-begun' }
  | { readonly status: 'unknown' }
  | { readonly status: 'failed'; readonly message: string }

/** Facts to redact before they are stored. */
export interface RedactFacts {
  /** `storageKey` of the store. */
  readonly storage: string
  readonly facts: readonly Fact[]
}

export interface ExecutionRefs {
  readonly executionIds: readonly string[]
}

export interface CancelTools extends AgentRef, ExecutionRefs {
  readonly reason: string
}
