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
  /** No tool is to be offered: none has to be available either. */
  readonly toolless?: boolean
  /** The run is for a call of another conversation: no further agents are offered. */
  readonly isChild?: boolean
  /** For a title: the model for those, without the agent's instructions and context. */
  readonly titles?: boolean
  /** For a reflection on an answer: with the model for those. */
  readonly reflects?: boolean
}

/** How answers are reflected on. */
export interface ReflectSettings {
  readonly mode: ReflectMode
  /** For the model that is asked. */
  readonly instructions: string
  /** How long it may take. Milliseconds. */
  readonly timeoutMs: number
}

/** What a step needs from the page. */
export interface StepContext {
  readonly model: ModelConfigData
  /** Names the configuration that `model` is the plain part of; its key is asked for by this name. */
  readonly configId: number
  /** It has neither key nor headers: there are no credentials to ask for. */
  readonly keyless?: true
  /** The page provides an engine for the model's provider: `openEngine` leads to it. */
  readonly engine: boolean
  readonly instructions: string
  /** Live page context, already formatted. */
  readonly context?: string
  readonly tools: readonly ToolDescriptor[]
  /** That the model can activate. Absent: none. */
  readonly skills?: readonly SkillRef[]
  /** Names of registered tools that are not to be used now: disabled or unavailable. */
  readonly otherTools?: readonly string[]
  readonly hasBeforeToolCall: boolean
  readonly hasVerify?: true
  /** Absent: answers aren't reflected on. */
  readonly reflect?: ReflectSettings
  readonly hasBeforeModel?: true
  /** `retrieveMemories` is to be asked about what a person writes. */
  readonly hasMemory?: true
  /** As the agent's option says; absent: by the defaults. */
  readonly compaction?: CompactionSettings | false
  /** Emit `raw` events. */
  readonly raw: boolean
  /** Emit `request` events. */
  readonly requests?: true
}

/** An answer with which a run would be completed. */
export interface VerifyAnswer extends AgentRef, RunRef {
  /** Of its message. A second question about it joins the first. */
  readonly messageId: string
  /** From 1: how often the run was asked about, this one included. */
  readonly round: number
  readonly text: string
  /** Of the run. */
  readonly toolCalls: readonly RunToolCall[]
}

/** A message of the person that no model has read yet, before it is sent. */
export interface AskBeforeModel extends AgentRef, RunRef {
  /** Of the run, from 1. */
  readonly step: number
  /** All that is about to be sent; the message is the last one. */
  readonly messages: readonly Message[]
}

export interface AskCompaction extends AgentRef, CompactionSituation {}

/** What the app's policy says; `failed`: it can't say, and why. */
export type CompactionAnswer =
  | { readonly type: 'chosen'; readonly choice: CompactionChoice | CompactionPolicy | null }
  | { readonly type: 'failed'; readonly message: string }

export interface AnswerRef extends AgentRef {
  readonly messageId: string
}

/** The conversation whose call waits for a run that nobody drives, and the tool that is called. */
export interface CallerRef extends AgentRef {
  readonly conversationId: string
  readonly toolName: string
}

/** A skill as the model is told of it before it is active. */
export interface SkillRef {
  readonly name: string
  readonly description: string
  /** Its texts are not of the app's own code. */
  readonly loaded?: true
}

export interface SkillQuery extends AgentRef {
  readonly name: string
}

/** What is stored of a skill when it is activated. */
export type SkillText = Omit<FactOf<'skill-activated'>, 'type' | 'after' | 'path'>

export interface FieldsQuery extends AgentRef {
  readonly fields: FieldsSchema
}

export interface MemoryQuery extends AgentRef, RunRef {
  /** What a person wrote, a model that calls this agent, or the app's trigger. */
  readonly query: string
  readonly writtenBy: 'person' | 'model' | 'app'
  /** The conversation holds words of others, of which the message may be. */
  readonly tainted: boolean
}

export interface CredentialsQuery extends AgentRef {
  readonly configId: number
  readonly endpoint: Endpoint
  /** The last answer got a 401. */
  readonly previousRejected: boolean
}

export interface CallContext extends AgentRef, RunRef {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: JsonValue
}

export interface ProposedCall extends CallContext {
  /** A person wrote the input: the hook has no say any more, and defaults are filled in. */
  readonly edited?: true
}

export interface DescribeCall extends CallContext {
  /** What it said when a person was asked before: of a page that is gone, perhaps. */
  readonly previous?: JsonValue
}

/** `failed`: there is nothing that a person could be asked about. */
export type CallDescription =
  | { readonly type: 'described'; readonly about: CallAbout }
  | { readonly type: 'nothing' }
  | { readonly type: 'failed'; readonly output: ToolOutput }

export type BeforeToolCallVerdict =
  | { readonly type: 'go'; readonly input: JsonValue }
  | { readonly type: 'veto'; readonly reason: string }

export interface ExecuteTool extends CallContext {
  /** The input with its secret values, for the tool's function alone. Absent: it has none. */
  readonly whole?: JsonValue
  /** Names this one execution. A second request with it joins the first and runs nothing. */
  readonly executionId: string
  /** Equal for all executions of one call. */
  readonly idempotencyKey: string
  /** From `leasedAt` to the start at most, and from the start to the end at most. */
  readonly timeoutMs: number
  /** The worker's monotonic clock when it last knew that the conversation was its own. Milliseconds. */
  readonly leasedAt: number
  /** Of the conversation's owner, and the tool's `fence`. One older than the page has seen is refused. */
  readonly epoch: number
  /** Names the store that counts the epochs. */
  readonly storeId: string
  /** Of the tool that the call was decided by. */
  readonly definition: string
  /** The page starts the tool only after it has handled this batch of the run's events. */
  readonly afterBatch: number
  /** What the tool said that it is about to act on, and a person approved. */
  readonly about?: JsonValue
  /** Of a call that another call makes. */
  readonly path?: CallPath
  /** What it is given may hold words of others, as its `ToolContext` says. */
  readonly tainted?: true
  /** Of a composite tool: what its function finds. */
  readonly remembered?: Remembered
}

export type ToolOutcome =
  /** `untrusted`: the tool says of this output that it holds words of others: whose. */
  | { readonly status: 'succeeded'; readonly output: ToolOutput; readonly untrusted?: string }
  /** Threw, rejected or timed out. */
  | { readonly status: 'failed'; readonly output: ToolOutput; readonly untrusted?: string }
  /** Its signal was aborted, and a part that was done does no harm. */
  | { readonly status: 'aborted'; readonly output: ToolOutput }
  /** The page's own schema refused the input; the tool did not run. */
  | { readonly status: 'invalid'; readonly output: ToolOutput }
  /** Its function ended, and what it comes to is said later, by somebody who has the token. `until`: ms since 1970. */
  | { readonly status: 'suspended'; readonly token: string; readonly until?: number }
  /** Its function waits for what its calls wait for, and is to be run again. `seen`: see `call-suspended`. */
  | { readonly status: 'suspended'; readonly seen: number }
  /** It can't be gone on with. */
  | { readonly status: 'interrupted'; readonly output: ToolOutput }
  /** The tool began, and nobody can say what became of it. `running`: it goes on even now. */
  | { readonly status: 'unknown'; readonly output: ToolOutput; readonly running: boolean }
  /**
   * Proof that the tool did not and will not run under this `executionId`. `changed`: it isn't the
   * tool any more that the call was decided by. `unconfirmed`: the lease could not be confirmed.
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

/** A call whose effect a person wants undone. */
export interface UndoTool extends CallContext {
  readonly output: ToolOutput
  /** Equal for all that is asked of the page to undo this call. */
  readonly idempotencyKey: string
}

/** `not-begun`: the page has no such function. `unknown`: it took too long, and nobody can say. */
export type UndoOutcome =
  | { readonly status: 'done' | 'not-begun' }
  | { readonly status: 'unknown' }
  | { readonly status: 'failed'; readonly message: string }

/** Facts that are about to be stored, for the functions of the page that redact what a store holds. */
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
