import type {
  ConversationRecord,
  StorageConfig,
  StorageState,
  StoredConversation,
} from './conversation.ts'
import type { EngineLine, EngineOpening, EngineProgress } from './engine.ts'
import type { ErrorData } from './error.ts'
import type { CallPath, InterruptionVerdict, UserContent } from './fact.ts'
import type { JsonSchema, JsonValue } from './json.ts'
import type { ModelFetch, ModelFetchHead, ModelFetchRefusal } from './model-fetch.ts'
import type { RunUsage, ToolOutput, UserMessage } from './message.ts'
import type { Credentials, Endpoint, ModelConfigData } from './model.ts'
import type { RunLimits } from './run.ts'
import type { OlderMessages } from './state.ts'
import type { CheckpointNotice, StreamBatch } from './stream.ts'
import type { ToolDescriptor } from './tool.ts'

/** Of the language below. Page and worker of different versions refuse each other. */
export const PROTOCOL_VERSION = 3

/** Which agent asks, and where its conversations are. */
export interface AgentScope {
  readonly agentId: string
  readonly storage: StorageConfig
}

export interface ConversationScope extends AgentScope {
  readonly conversationId: string
}

/** The page's first words. The two ports are transferred with it. */
export interface PageHello {
  readonly protocolVersion: number
  /** Names this page load; executions carry it, so that a page knows its own. No `:` in it. */
  readonly pageId: string
  /** Carries `PageApi` (Comlink). */
  readonly pagePort: MessagePort
  /** Carries `WorkerNotice`s and `PageNotice`s as plain messages. */
  readonly eventPort: MessagePort
}

/**
 * What the page says without an answer: one that comes while the page is kept for going back throws it
 * out of the browser's cache.
 */
export type PageNotice =
  | { readonly type: 'release-lock'; readonly name: string }
  /** A tool's own word on how far it is, for other tabs; this page has published it already. */
  | (ConversationScope & {
      readonly type: 'tool-progress'
      readonly runId: string
      readonly path: CallPath
      readonly progress: unknown
    })

/** The worker's first sign of life, on its global scope: its file was loaded, and begins. */
export const WORKER_BEGUN = 'offstage-begun'

export interface WorkerHello {
  readonly protocolVersion: number
  /** What the worker's monotonic clock showed when it answered. Milliseconds. */
  readonly clock: number
}

/** A check against a schema with regular expressions: on some inputs these take forever. */
export interface CheckRisk {
  readonly toolName: string
  readonly patterns: readonly string[]
}

/** What the worker says without being asked. One message, never one an event. */
export type WorkerNotice =
  | ({ readonly type: 'stream' } & StreamBatch)
  | ({ readonly type: 'checkpoint' } & CheckpointNotice)
  /** Conversations of the store began, changed their record or went, in this tab or another. */
  | { readonly type: 'conversations-changed'; readonly storage: string }
  | ({ readonly type: 'storage' } & StorageState)
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  /** Before and after (`risk: null`) a check that may never end: a worker that hangs can't say in what. */
  | {
      readonly type: 'risk'
      readonly agentId: string
      /** Empty: of an extraction. */
      readonly runId: string
      readonly extractId?: string
      readonly risk: CheckRisk | null
    }
  | ({
      readonly type: 'engine-progress'
      readonly agentId: string
      readonly provider: string
      readonly model: string
    } & EngineProgress)

/** What `prepare` is to load. */
export interface Preparation extends AgentScope {
  readonly model: ModelConfigData
  /** The page lends an engine for the model's provider. */
  readonly engine: boolean
}

export interface StartRun extends ConversationScope {
  readonly runId: string
  /** Null: the run goes on from the history (supplied outputs). */
  readonly message: UserContent | null
  /** Earlier messages from elsewhere, not looked at yet, for a conversation that has none. */
  readonly history?: unknown
  readonly limits: RunLimits
  readonly ifBusy: 'refuse' | 'queue' | 'replace'
}

export interface ResumeRun extends AgentScope {
  /** Absent: the newest conversation with an open run. */
  readonly conversationId?: string
  /**
   * The run that the page still has a handle of: if it has ended meanwhile, its end is told again, and if
   * it goes on in another tab, it ends on this page as taken over.
   */
  readonly runId?: string
  /** What to do with calls that may or may not have happened. Default `'tell-model'`. */
  readonly interrupted: 'tell-model' | 'ask'
  /** How long to wait for the tool of a call that was under way. Milliseconds. */
  readonly waitForToolsMs: number
  /** False: the page before was left, or this page goes on with its own run. Default true: it may have crashed. */
  readonly afterCrash?: boolean
  /** Lets a parked run go on. */
  readonly goOn?: boolean
}

export interface AbortRun extends ConversationScope {
  readonly runId: string
  readonly reason: string
  /** The run ends as failed, not as aborted. */
  readonly error?: ErrorData
}

export interface RunRef {
  readonly conversationId: string
  readonly runId: string
}

/** A person's word on a parked call. `conversationId` is absent when only the call's id is known. */
export interface CallAnswer extends AgentScope {
  readonly conversationId?: string
  readonly toolCallId: string
  readonly answer:
    | { readonly type: 'approve'; readonly input?: JsonValue }
    | { readonly type: 'deny'; readonly reason?: string }
    | { readonly type: 'answer'; readonly text: string }
    | {
        readonly type: 'resolve'
        readonly verdict: InterruptionVerdict
        readonly output?: ToolOutput
      }
}

export interface SupplyOutput extends AgentScope {
  readonly conversationId?: string
  readonly toolCallId: string
  readonly output: ToolOutput
  /** Of the run that goes on once the last output is in. */
  readonly nextRunId: string
  /** Of that run, where no run before it has any: the call came with an imported history. */
  readonly limits: RunLimits
}

/** One model call for data, outside any conversation. */
export interface Extract extends AgentScope {
  readonly extractId: string
  readonly schema: JsonSchema
  readonly input: UserMessage['parts']
  /** Outputs that were refused before, and why. */
  readonly corrections: readonly { readonly output: string; readonly problem: string }[]
}

/** What came of it: what the model wrote and how it reads (`problem`: it doesn't fit), or an error. */
export type Extraction = { readonly usage: RunUsage } & (
  | { readonly text: string; readonly value: JsonValue; readonly problem: string | null }
  | { readonly error: ErrorData }
)

/**
 * What the page may ask of the worker (Comlink over the worker itself). Requests of one page are
 * taken in the order in which they were sent. A run's outcome never comes as a return value but as
 * its `run-end` event. Rejections are `ErrorData` objects, wrapped by `client/` into `OffstageError`.
 */
export interface WorkerApi {
  /** Must be the first call. Throws `protocol-mismatch`. */
  connect(hello: PageHello): Promise<WorkerHello>
  /** Answers as soon as the worker's event loop turns. */
  ping(): Promise<void>
  /**
   * Holds a Web Lock of this name, which comes free when the worker dies. Answers once it is held;
   * false where Web Locks are missing: then only the heartbeat tells of the worker's death.
   */
  holdLock(name: string): Promise<boolean>
  /** Accepts the run and returns at once; a refusal is the run's `failed` outcome. */
  startRun(command: StartRun): Promise<void>
  /** Null when there is nothing to resume. A run this worker already drives is just named. */
  resumeRun(command: ResumeRun): Promise<RunRef | null>
  /** Ends a run, parked and stored ones too. False when it had ended. */
  abortRun(command: AbortRun): Promise<boolean>
  /** False when the call was settled or answered already, or isn't known. */
  answerCall(command: CallAnswer): Promise<boolean>
  /** The run that goes on, when this was the last pending output; else null. */
  supplyOutput(command: SupplyOutput): Promise<RunRef | null>
  /**
   * Whether this worker still owns the conversation under this epoch, as the store says now. Asked
   * before a call that may not run twice is started late: somebody else may have taken over meanwhile.
   */
  confirmLease(lease: ConversationScope & { readonly epoch: number }): Promise<boolean>
  /**
   * Publishes the conversation to the page from now on: first a checkpoint (`joined`), on the event port,
   * then what follows it. Asked again, it publishes a new checkpoint.
   */
  join(scope: ConversationScope): Promise<void>
  /** Publishes it no more, but for runs that this worker drives. */
  leave(scope: ConversationScope): Promise<void>
  /** Messages of the head's path before one of them. Null when it isn't on the path any more. */
  olderMessages(
    scope: ConversationScope & { readonly before: string; readonly count: number },
  ): Promise<OlderMessages | null>
  /**
   * Goes to the branch that was used last under a message. False when the message isn't there;
   * `conversation-busy` while a run is open.
   */
  switchBranch(scope: ConversationScope & { readonly messageId: string }): Promise<boolean>
  /** Has another tab hand over its run; this worker drives it then. Null when there is none, or it is refused. */
  takeOver(command: ResumeRun & ConversationScope): Promise<RunRef | null>
  /** The agent's tools changed: calls that wait for a tool look again. */
  toolsChanged(agentId: string): Promise<void>
  /** Lets go of the agent: its runs stop without an end and stay resumable. */
  releaseAgent(agentId: string): Promise<void>
  /** A model call that fails is an answer, too: it has used tokens. */
  extract(command: Extract): Promise<Extraction>
  /** Aborts the model call of an extraction. */
  stopExtracting(extractId: string): Promise<void>
  /** Loads what a run needs before one is asked for: the store, and the model of an engine. */
  prepare(preparation: Preparation): Promise<void>
  /** Gives up what `prepare` has not finished for this agent; it rejects with `aborted`. */
  stopPreparing(agentId: string): Promise<void>

  listConversations(
    scope: AgentScope & { readonly unfinished?: boolean },
  ): Promise<ConversationRecord[]>
  getConversation(scope: ConversationScope): Promise<StoredConversation | null>
  renameConversation(scope: ConversationScope & { readonly title: string }): Promise<boolean>
  deleteConversation(scope: ConversationScope): Promise<boolean>
  /** Forgets the messages, keeps the conversation. Refused (`conversation-busy`) while a run is open. */
  clearHistory(scope: ConversationScope): Promise<boolean>
}

/** What a step needs from the page, read afresh before every model call. */
export interface StepContext {
  readonly model: ModelConfigData
  /** Names the configuration that `model` is the plain part of; its key is asked for by this name. */
  readonly configId: number
  /** The page lends an engine for the model's provider: `openEngine` leads to it. */
  readonly engine: boolean
  readonly instructions: string
  /** Live page context, already formatted. */
  readonly context?: string
  readonly tools: readonly ToolDescriptor[]
  /** Names of registered tools that are not to be used now: disabled or unavailable. */
  readonly otherTools?: readonly string[]
  readonly hasBeforeToolCall: boolean
  /** Emit `raw` events. */
  readonly raw: boolean
}

export interface CallContext {
  readonly agentId: string
  readonly runId: string
  readonly conversationId: string
  readonly toolCallId: string
  readonly toolName: string
  readonly input: JsonValue
}

export type BeforeToolCallVerdict =
  | { readonly type: 'go'; readonly input: JsonValue }
  | { readonly type: 'veto'; readonly reason: string }

export interface ExecuteTool extends CallContext {
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
}

export type ToolOutcome =
  | { readonly status: 'succeeded'; readonly output: ToolOutput }
  /** Threw, rejected or timed out. */
  | { readonly status: 'failed'; readonly output: ToolOutput }
  /** Its signal was aborted, and a part that was done does no harm. */
  | { readonly status: 'aborted'; readonly output: ToolOutput }
  /** The page's own schema refused the input; the tool did not run. */
  | { readonly status: 'invalid'; readonly output: ToolOutput }
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

export interface CancelTools {
  readonly agentId: string
  readonly executionIds: readonly string[]
  readonly reason: string
}

/**
 * What the worker may ask of its page (Comlink over `PageHello.pagePort`). Everything that is a
 * function in the agent's configuration lives behind these.
 */
export interface PageApi {
  stepContext(call: {
    readonly agentId: string
    readonly runId: string
    readonly conversationId: string
    /** No tool is to be offered: none has to be available either. */
    readonly toolless?: boolean
  }): Promise<StepContext>
  /** The tools as they are now; for calls found after a reload. */
  currentTools(agentId: string): Promise<readonly ToolDescriptor[]>
  /**
   * Asks the key and header functions of the configuration that a step was begun with, whatever has
   * been configured since. `previousRejected`: the last answer got a 401.
   */
  credentials(request: {
    readonly agentId: string
    readonly configId: number
    readonly endpoint: Endpoint
    readonly previousRejected: boolean
  }): Promise<Credentials>
  /**
   * Makes a model's request (`transport: 'page'`), redirects refused. Rejects with the browser's own
   * words when there is no answer. Ends with `cancel`, with the body, or with the worker.
   */
  fetchModel(request: ModelFetch): Promise<ModelFetchHead | ModelFetchRefusal>
  /** A fresh line to an engine that the page lends; starts the engine if need be. */
  openEngine(opening: EngineOpening & { readonly provider: string }): Promise<EngineLine>
  beforeToolCall(call: CallContext): Promise<BeforeToolCallVerdict>
  needsApproval(call: CallContext): Promise<boolean>
  /**
   * Idempotent per `executionId`. Asked again, it resolves to what really became of the tool, though
   * the agent that it began for is gone; the outcome is kept until acknowledged. Never rejects.
   */
  executeTool(call: ExecuteTool): Promise<ToolOutcome>
  /**
   * Which of these began on this page, acknowledged ones too. One that did not is refused from then
   * on, so that what isn't named is proven not to have run here.
   */
  knownExecutions(executionIds: readonly string[]): Promise<readonly string[]>
  /** Aborts running ones; those not begun never will be. Answers when that is certain. */
  cancelTools(request: CancelTools): Promise<void>
  /** The outcomes are journaled; the page may forget them, but not that the executions began. */
  acknowledgeTools(executionIds: readonly string[]): Promise<void>
  /** Asks a tool's `reconcile` whether an interrupted call happened. */
  reconcileTool(call: ReconcileTool): Promise<ReconcileVerdict>
}
