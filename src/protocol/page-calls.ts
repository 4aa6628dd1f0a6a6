import type { Calls, CallToPage } from './call.ts'
import type { EngineLine, EngineOpening } from './engine.ts'
import type { ErrorCode } from './error.ts'
import type { Amendment, Message, ToolOutput } from './message.ts'
import type { Credentials, Endpoint, ModelConfigData } from './model.ts'
import type { AgentRef, RunRef } from './conversation.ts'
import type { ToolDescriptor } from './tool.ts'
import type { FieldsSchema } from './fields.ts'
import type {
  CompactionChoice,
  CompactionPolicy,
  CompactionSettings,
  CompactionSituation,
} from './compaction.ts'
import type { ReplayLog } from './composite.ts'
import type { CallPath, Fact, FactOf, ReflectMode } from './fact.ts'
import type { JsonValue } from './json.ts'
import type { CallAbout, RunToolCall } from './run.ts'

/**
 * All calls from the worker to its page (Comlink over `PageHello.pagePort`). They reach every function in an agent's
 * configuration. The page itself answers calls about executions and model requests (`client/page-life/page-api.ts`).
 * For all others, the agent with the given `agentId` has a method of the same name (`client/api/lazy-runtime.ts`).
 */
export const PAGE_CALLS = {
  /** Returns the page's data for a step. Called before every model call, so that it is current. */
  stepContext: { stops: true } as CallToPage<
    StepQuery,
    StepContext,
    'invalid-config' | 'no-tools-available'
  >,
  /** Returns the current tools, for calls found after a reload. */
  currentTools: { stops: true } as CallToPage<
    AgentRef,
    readonly ToolDescriptor[],
    'invalid-config' | 'no-tools-available'
  >,
  /** Returns the text of a skill. Null if the page has no such skill. */
  readSkill: { stops: true } as CallToPage<SkillQuery, SkillText | null>,
  /**
   * Calls the key and header functions of the configuration that the step began with, even if the configuration has
   * changed since.
   */
  credentials: { stops: true } as CallToPage<CredentialsQuery, Credentials, 'authentication'>,
  /** Opens a new connection to the page's engine, and starts the engine if necessary. */
  openEngine: {} as CallToPage<
    EngineOpening & { readonly provider: string },
    EngineLine,
    ErrorCode
  >,
  beforeToolCall: { stops: true } as CallToPage<ProposedCall, BeforeToolCallVerdict>,
  needsApproval: { stops: true } as CallToPage<CallContext, boolean>,
  /** Returns whether the call has an effect that needs approval while the context is tainted. */
  commits: { stops: true } as CallToPage<CallContext, boolean>,
  /** Returns the key that a consent to later calls would have. Null if consent isn't possible. */
  consentKey: { stops: true } as CallToPage<CallContext, string | null>,
  /** Returns the target of a call, for the person who is asked. */
  describeCall: { stops: true } as CallToPage<DescribeCall, CallDescription>,
  /** Returns JSON pointers to the secret values of an input. Null if the tool can't name them. */
  secretsIn: { stops: true } as CallToPage<CallContext, readonly string[] | null>,
  /** Returns names of a question's fields that seem to ask for a secret. */
  sensitiveFields: { stops: true } as CallToPage<FieldsQuery, readonly string[]>,
  /** Returns the changes to the last message before it is sent. */
  beforeModel: { stops: true } as CallToPage<BeforeModelQuery, Amendment>,
  /** Returns feedback for the model, or null if the answer is accepted or no further feedback is allowed. */
  verify: { stops: true } as CallToPage<VerifyQuery, string | null>,
  /** Cancels a verification whose verdict is no longer needed. */
  stopVerifying: {} as CallToPage<AnswerRef, void>,
  /** Calls the app's compaction policy. A second call for the same request joins the first. */
  chooseCompaction: { stops: true } as CallToPage<CompactionQuery, CompactionAnswer>,
  /** Cancels a choice that is no longer needed. */
  stopChoosing: {} as CallToPage<AgentRef & RunRef, void>,
  /** Returns the entries that the agent's memories find. */
  retrieveMemories: { stops: true } as CallToPage<MemoryQuery, readonly RetrievedMemory[]>,
  /** Resumes the parent run of a sub-agent's call, and the child run, if the page has both agents. */
  goOnWithCaller: {} as CallToPage<CallerRef, void>,
  /** Calls a tool's `reconcile` to check whether an interrupted call happened. */
  reconcileTool: { stops: true } as CallToPage<ReconcileTool, ReconcileVerdict>,

  /** Runs a tool's `undo` for a call. Never repeated if an earlier undo began and its outcome is unknown. */
  undoTool: {} as CallToPage<UndoTool, UndoOutcome>,

  /**
   * Returns the redacted facts, one for each fact, as the page's functions return them: unchecked. A disposed agent's
   * functions still apply until another agent of the same storage replaces them.
   */
  redact: {} as CallToPage<RedactFacts, readonly unknown[], 'redact-failed'>,

  /**
   * Makes a model's request (`transport: 'page'`) and refuses redirects. Rejects with the browser's message if there is
   * no response. Ends with `cancel`, with the body, or with the worker.
   */
  fetchModel: { stops: true } as CallToPage<
    ModelFetch,
    ModelFetchHead | ModelFetchRefusal,
    'network'
  >,
  /**
   * Executes a tool. Idempotent per `executionId`: a repeated call resolves to the actual outcome, even if the agent is
   * disposed. The page keeps the outcome until it is acknowledged. A stopped run cancels the tool, but the outcome of
   * the execution is still recorded.
   */
  executeTool: {} as CallToPage<ExecuteTool, ToolOutcome>,
  /**
   * Returns the executions that began on this page, including acknowledged ones. The page refuses all others from then
   * on, which proves that they didn't run here.
   */
  knownExecutions: { stops: true } as CallToPage<ExecutionRefs, readonly string[]>,
  /** Aborts running executions and prevents others from starting. Answers once that is certain. */
  cancelTools: {} as CallToPage<CancelTools, void>,
  /** Reports that the outcomes are stored. The page may forget them, but not that the executions began. */
  acknowledgeTools: {} as CallToPage<ExecutionRefs, void>,
}

export type PageCalls = typeof PAGE_CALLS

/** The page's calls, as the worker sees them. */
export type PageApi = Calls<PageCalls>

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
  readonly hasEngine: boolean
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
export interface VerifyQuery extends AgentRef, RunRef {
  /** Id of the answer's message. A second request for it joins the first. */
  readonly messageId: string
  /** Number of this verification within the run, from 1. */
  readonly round: number
  readonly text: string
  /** The run's tool calls. */
  readonly toolCalls: readonly RunToolCall[]
}

/** A user message that no model has read yet, before it is sent. */
export interface BeforeModelQuery extends AgentRef, RunRef {
  /** Step of the run, from 1. */
  readonly step: number
  /** All messages of the next request. The user message is the last. */
  readonly messages: readonly Message[]
}

export interface CompactionQuery extends AgentRef, CompactionSituation {}

/** Result of the app's compaction policy. `failed`: the policy threw or took too long. */
export type CompactionAnswer =
  | { readonly type: 'chosen'; readonly choice: CompactionChoice | CompactionPolicy | null }
  | { readonly type: 'failed'; readonly message: string }

interface AnswerRef extends AgentRef {
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

interface SkillQuery extends AgentRef {
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

interface CredentialsQuery extends AgentRef {
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

interface ProposedCall extends CallContext {
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

type BeforeToolCallVerdict =
  | { readonly type: 'go'; readonly input: JsonValue }
  | { readonly type: 'veto'; readonly reason: string }

export interface ExecuteTool extends CallContext {
  /** The input with its secret values, passed only to the tool's function. Undefined if it has no secrets. */
  readonly inputWithSecrets?: JsonValue
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
  readonly replayLog?: ReplayLog
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

/** Source of a memory entry, as shown to people. */
export type MemorySource = {
  readonly title: string
  readonly url?: string
}

/** A memory entry found for a request, as stored with the conversation and sent to the model. */
export interface RetrievedMemory {
  /** Id by which the model and the person can refer to the entry. */
  readonly id: string
  readonly text: string
  readonly [more: string]: JsonValue
}

/**
 * An HTTP request to a model that the page makes for the worker, which might be unable to reach the model's address.
 */
export interface ModelFetch {
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly credentials: 'omit' | 'same-origin'
  /** Transferred with the request. Carries `BytesNotice`s to the worker and `BytesWish`es back. */
  readonly bytes: MessagePort
}

/** The head of the response. `hasBody`: its bytes follow on the port. */
export interface ModelFetchHead {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly hasBody: boolean
}

/** The text of the page's policy that refused the request. */
export interface ModelFetchRefusal {
  readonly refusedBy: string
}

/** A piece of the body (its buffer is transferred), or how the body ended. */
export type BytesNotice =
  | Uint8Array
  | { readonly type: 'end' }
  | { readonly type: 'broken'; readonly message: string }

/** `more` allows the page to send that many more pieces. Initially it may send `FETCH_WINDOW`. */
export type BytesWish =
  | { readonly type: 'more'; readonly pieces: number }
  | { readonly type: 'cancel' }

/** Pieces of a body that the page may send before the worker has read them. */
export const FETCH_WINDOW = 16
