import type { Calls, Question } from './call.ts'
import type { EngineLine, EngineOpening } from './engine.ts'
import type { ErrorCode } from './error.ts'
import type { Amendment } from './message.ts'
import type { RetrievedMemory } from './memory.ts'
import type { Credentials } from './model.ts'
import type { ModelFetch, ModelFetchHead, ModelFetchRefusal } from './model-fetch.ts'
import type {
  AnswerRef,
  AskCompaction,
  AskBeforeModel,
  BeforeToolCallVerdict,
  CallContext,
  CallDescription,
  CallerRef,
  CancelTools,
  CompactionAnswer,
  CredentialsQuery,
  DescribeCall,
  ExecuteTool,
  ExecutionRefs,
  FieldsQuery,
  MemoryQuery,
  ProposedCall,
  ReconcileTool,
  ReconcileVerdict,
  RedactFacts,
  SkillQuery,
  SkillText,
  StepContext,
  StepQuery,
  ToolOutcome,
  UndoOutcome,
  UndoTool,
  VerifyAnswer,
} from './questions.ts'
import type { AgentRef, RunRef } from './scope.ts'
import type { ToolDescriptor } from './tool.ts'

/**
 * All calls from the worker to its page (Comlink over `PageHello.pagePort`). They reach every function in an agent's
 * configuration. The page itself answers calls about executions and model requests (`client/page-api.ts`). For all
 * others, the agent with the given `agentId` has a method of the same name (`client/agent-page.ts`).
 */
export const PAGE_CALLS = {
  /** Returns the page's data for a step. Called before every model call, so that it is current. */
  stepContext: { stops: true } as Question<
    StepQuery,
    StepContext,
    'invalid-config' | 'no-tools-available'
  >,
  /** Returns the current tools, for calls found after a reload. */
  currentTools: { stops: true } as Question<
    AgentRef,
    readonly ToolDescriptor[],
    'invalid-config' | 'no-tools-available'
  >,
  /** Returns the text of a skill. Null if the page has no such skill. */
  readSkill: { stops: true } as Question<SkillQuery, SkillText | null>,
  /**
   * Calls the key and header functions of the configuration that the step began with, even if the configuration has
   * changed since.
   */
  credentials: { stops: true } as Question<CredentialsQuery, Credentials, 'authentication'>,
  /** Opens a new connection to the page's engine, and starts the engine if necessary. */
  openEngine: {} as Question<EngineOpening & { readonly provider: string }, EngineLine, ErrorCode>,
  beforeToolCall: { stops: true } as Question<ProposedCall, BeforeToolCallVerdict>,
  needsApproval: { stops: true } as Question<CallContext, boolean>,
  /** Returns whether the call has an effect that needs approval while the context is tainted. */
  commits: { stops: true } as Question<CallContext, boolean>,
  /** Returns the key that a consent to later calls would have. Null if consent isn't possible. */
  consentKey: { stops: true } as Question<CallContext, string | null>,
  /** Returns the target of a call, for the person who is asked. */
  describeCall: { stops: true } as Question<DescribeCall, CallDescription>,
  /** Returns JSON pointers to the secret values of an input. Null if the tool can't name them. */
  secretsIn: { stops: true } as Question<CallContext, readonly string[] | null>,
  /** Returns names of a question's fields that seem to ask for a secret. */
  sensitiveFields: { stops: true } as Question<FieldsQuery, readonly string[]>,
  /** Returns the changes to the last message before it is sent. */
  beforeModel: { stops: true } as Question<AskBeforeModel, Amendment>,
  /** Returns feedback for the model, or null if the answer is accepted or no further feedback is allowed. */
  verify: { stops: true } as Question<VerifyAnswer, string | null>,
  /** Cancels a verification whose verdict is no longer needed. */
  stopVerifying: {} as Question<AnswerRef, void>,
  /** Calls the app's compaction policy. A second call for the same request joins the first. */
  chooseCompaction: { stops: true } as Question<AskCompaction, CompactionAnswer>,
  /** Cancels a choice that is no longer needed. */
  stopChoosing: {} as Question<AgentRef & RunRef, void>,
  /** Returns the entries that the agent's memories find. */
  retrieveMemories: { stops: true } as Question<MemoryQuery, readonly RetrievedMemory[]>,
  /** Resumes the parent run of a sub-agent's call, and the child run, if the page has both agents. */
  goOnWithCaller: {} as Question<CallerRef, void>,
  /** Calls a tool's `reconcile` to check whether an interrupted call happened. */
  reconcileTool: { stops: true } as Question<ReconcileTool, ReconcileVerdict>,

  /** Runs a tool's `undo` for a call. Never repeated if an earlier undo began and its outcome is unknown. */
  undoTool: {} as Question<UndoTool, UndoOutcome>,

  /**
   * Returns the redacted facts, one for each fact, as the page's functions return them: unchecked. A disposed agent's
   * functions still apply until another agent of the same storage replaces them.
   */
  redact: {} as Question<RedactFacts, readonly unknown[], 'redact-failed'>,

  /**
   * Makes a model's request (`transport: 'page'`) and refuses redirects. Rejects with the browser's message if there is
   * no response. Ends with `cancel`, with the body, or with the worker.
   */
  fetchModel: { stops: true } as Question<
    ModelFetch,
    ModelFetchHead | ModelFetchRefusal,
    'network'
  >,
  /**
   * Executes a tool. Idempotent per `executionId`: a repeated call resolves to the actual outcome, even if the agent is
   * disposed. The page keeps the outcome until it is acknowledged. A stopped run cancels the tool, but its outcome
   * still counts.
   */
  executeTool: {} as Question<ExecuteTool, ToolOutcome>,
  /**
   * Returns the executions that began on this page, including acknowledged ones. The page refuses all others from then
   * on, which proves that they didn't run here.
   */
  knownExecutions: { stops: true } as Question<ExecutionRefs, readonly string[]>,
  /** Aborts running executions and prevents others from starting. Answers once that is certain. */
  cancelTools: {} as Question<CancelTools, void>,
  /** Reports that the outcomes are stored. The page may forget them, but not that the executions began. */
  acknowledgeTools: {} as Question<ExecutionRefs, void>,
}

export type PageCalls = typeof PAGE_CALLS

/** The page's calls, as the worker sees them. */
export type PageApi = Calls<PageCalls>
