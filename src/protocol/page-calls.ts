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
 * All that the worker may ask of its page (Comlink over `PageHello.pagePort`). Everything that is a
 * function in an agent's configuration is behind these. What concerns executions, and requests of
 * models, the page answers itself (`client/page-api.ts`); all else is a method of the same name of the agent that
 * `agentId` names (`client/agent-page.ts`).
 */
export const PAGE_CALLS = {
  /** What a step needs, read afresh before every model call. */
  stepContext: { stops: true } as Question<
    StepQuery,
    StepContext,
    'invalid-config' | 'no-tools-available'
  >,
  /** The tools as they are now; for calls found after a reload. */
  currentTools: { stops: true } as Question<
    AgentRef,
    readonly ToolDescriptor[],
    'invalid-config' | 'no-tools-available'
  >,
  /** Null: the page has no such skill. */
  readSkill: { stops: true } as Question<SkillQuery, SkillText | null>,
  /**
   * Asks the key and header functions of the configuration that a step was begun with, whatever has
   * been configured since.
   */
  credentials: { stops: true } as Question<CredentialsQuery, Credentials, 'authentication'>,
  /** A fresh line to an engine that the page provides; starts the engine if need be. */
  openEngine: {} as Question<EngineOpening & { readonly provider: string }, EngineLine, ErrorCode>,
  beforeToolCall: { stops: true } as Question<ProposedCall, BeforeToolCallVerdict>,
  needsApproval: { stops: true } as Question<CallContext, boolean>,
  /** Whether the call has an effect to be asked about while the model's context holds words of others. */
  commits: { stops: true } as Question<CallContext, boolean>,
  /** What a consent to later calls like this one would be for; null: there can be none. */
  consentKey: { stops: true } as Question<CallContext, string | null>,
  /** What a call is about to act on, for the person who is asked. */
  describeCall: { stops: true } as Question<DescribeCall, CallDescription>,
  /** JSON pointers to the values of an input that are not to be stored; null: its tool can't say. */
  secretsIn: { stops: true } as Question<CallContext, readonly string[] | null>,
  /** Names of the fields of a question that seem to ask for a secret. */
  sensitiveFields: { stops: true } as Question<FieldsQuery, readonly string[]>,
  /** How the last message is to be sent. */
  beforeModel: { stops: true } as Question<AskBeforeModel, Amendment>,
  /** What is wrong with the answer, for the model; null: nothing, or nothing that is to be said any more. */
  verify: { stops: true } as Question<VerifyAnswer, string | null>,
  /** Nobody waits for the verdict any more. */
  stopVerifying: {} as Question<AnswerRef, void>,
  /** What is no longer to be sent, by the app's own policy. A second question about the same request joins the first. */
  chooseCompaction: { stops: true } as Question<AskCompaction, CompactionAnswer>,
  /** Nobody waits for the choice any more. */
  stopChoosing: {} as Question<AgentRef & RunRef, void>,
  /** What the agent's memories find. */
  retrieveMemories: { stops: true } as Question<MemoryQuery, readonly RetrievedMemory[]>,
  /** Goes on with the run of a call that asked an agent, and with that one's, where the page has both agents. */
  goOnWithCaller: {} as Question<CallerRef, void>,
  /** Asks a tool's `reconcile` whether an interrupted call happened. */
  reconcileTool: { stops: true } as Question<ReconcileTool, ReconcileVerdict>,

  /** Has a tool undo what a call did. Whatever the page says, it isn't asked again of a call that it began with. */
  undoTool: {} as Question<UndoTool, UndoOutcome>,

  /**
   * The facts as they are to be stored, one for each: whatever the functions of the page return, unchecked. The page
   * answers itself: an agent that is gone redacts on, until another one of its storage does.
   */
  redact: {} as Question<RedactFacts, readonly unknown[], 'redact-failed'>,

  /**
   * Makes a model's request (`transport: 'page'`), redirects refused. Rejects with the browser's own
   * words when there is no answer. Ends with `cancel`, with the body, or with the worker.
   */
  fetchModel: { stops: true } as Question<
    ModelFetch,
    ModelFetchHead | ModelFetchRefusal,
    'network'
  >,
  /**
   * Idempotent per `executionId`. Asked again, it resolves to what really became of the tool, though
   * the agent that it began for is gone; the outcome is kept until acknowledged. Doesn't stop with the
   * run: it is cancelled, and what it came to still counts.
   */
  executeTool: {} as Question<ExecuteTool, ToolOutcome>,
  /**
   * Which of these began on this page, acknowledged ones too. One that did not is refused from then
   * on, so that what isn't named is proven not to have run here.
   */
  knownExecutions: { stops: true } as Question<ExecutionRefs, readonly string[]>,
  /** Aborts running ones; those not begun never will be. Answers when that is certain. */
  cancelTools: {} as Question<CancelTools, void>,
  /** The outcomes are stored; the page may forget them, but not that the executions began. */
  acknowledgeTools: {} as Question<ExecutionRefs, void>,
}

export type PageCalls = typeof PAGE_CALLS

/** The page, as its worker calls it. */
export type PageApi = Calls<PageCalls>
