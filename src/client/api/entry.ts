/** Exports shared by the entries `offstage` and `offstage/no-inline`: everything except `createAgent`. */
export {
  type AnyToolOptions,
  type CompositeToolOptions,
  defineTool,
  type ToolDefinitionOptions,
} from '../tools/define-tool.ts'
export { pending, type Pending } from '../runs/pending.ts'
export { OffstageError } from '../../protocol/error.ts'

export type { Agent, Conversations } from './agent.ts'
export type { AgentEvent, AgentListener } from './agent.ts'
export type { AgentTool, AgentTools } from './agent.ts'
export type {
  AnswerOptions,
  ApproveOptions,
  CallOutcome,
  CallRef,
  PersonConsent,
  UserGestureEvent,
} from '../execution/person-check.ts'
export type { Conversation } from './agent.ts'
export type { ControlTool } from '../tools/control-tools.ts'
export type { Extracted, ExtractOptions } from '../features/extract.ts'
export type { InferInput } from '../tools/infer-schema.ts'
export type {
  AgentOptions,
  ApprovalPolicy,
  CredentialRequest,
  FinishedCall,
  AnswerVerdict,
  HookedCall,
  ProposedAnswer,
  ProposedRequest,
  ReflectOptions,
  RequestChange,
  ModelConfig,
  PromptValues,
  ResumeOptions,
  RunInput,
  RunOptions,
} from './options.ts'
export type { PageStorage, StorageEstimate, UndoneTurn, UndoTurnOptions } from './agent.ts'
export type { KeptReason, UndoPlan } from '../../conversation/undo-plan.ts'
export type {
  AgentMemory,
  ListedMemory,
  MemoryEntry,
  RememberedRun,
  RememberingAgent,
  RetrieveContext,
} from '../features/memory.ts'
export type { MemorySource } from '../../protocol/page-calls.ts'
export type { Run, SentMessage, SentOutcome } from '../runs/run.ts'
export type {
  ConversationSnapshot,
  ShownBranch,
  ShownCall,
  ShownConsent,
  ShownMessage,
  ShownRun,
} from '../../conversation/snapshot.ts'
export type {
  TrustedScriptAddress,
  WorkerAddress,
  WorkerLike,
} from '../worker-link/spawn-worker.ts'
export type { WorkerFailureReason } from '../start-diagnosis/cause.ts'
export type { StandardSchema } from '../tools/standard-schema.ts'
export type { Skill, SkillFile } from '../features/skill.ts'
export type { SubAgentOptions } from './options.ts'
export type { RegisterOptions } from '../tools/tool-registry.ts'
export type { StoredRows } from '../runs/stored-rows.ts'
export type { ConversationFile, ImportReport } from '../transfer/export-file.ts'
export type {
  CommitsContext,
  CompositeContext,
  CompositeTool,
  ReconcileContext,
  StepOptions,
  Tool,
  ToolCallInfo,
  ToolContext,
} from '../tools/tool.ts'
export type {
  Trigger,
  TriggerEventOf,
  TriggerOptions,
  TriggerOutcome,
  TriggerSource,
} from '../triggers/options.ts'
export type {
  ConversationRecord,
  StorageConfig,
  StorageState,
  StoredConversation,
} from '../../protocol/conversation.ts'
export type { ChooseCompaction, CompactionOptions } from './options.ts'
export type {
  Compaction,
  CompactionChoice,
  CompactionMessage,
  CompactionPolicy,
  CompactionSituation,
} from '../../protocol/compaction.ts'
export type { Engine, EngineLine, EngineOpening, EngineProgress } from '../../protocol/engine.ts'
export type { Ownership } from '../../protocol/delta.ts'
export type { ErrorCode, ErrorData } from '../../protocol/error.ts'
export type { RunEvent } from '../../protocol/event.ts'
export type {
  BooleanField,
  ChoiceField,
  ChoicesField,
  FieldChoice,
  FieldFormat,
  FieldSchema,
  FieldsSchema,
  FieldValue,
  FieldValues,
  NumberField,
  QuestionAnswer,
  TextField,
} from '../../protocol/fields.ts'
export type { CallPath, Fact, PlanItem, PlanStatus, Row, UserContent } from '../../protocol/fact.ts'
export type { AnthropicMessage, ChatMessage, HistoryMessage } from '../../protocol/message.ts'
export type { JsonObject, JsonSchema, JsonValue } from '../../protocol/json.ts'
export type { RequestTokens, SentRequest } from '../../protocol/delta.ts'
export type { RetryNotice } from '../../protocol/delta.ts'
export type {
  Amendment,
  AssistantMessage,
  CallError,
  FilePart,
  FinishReason,
  Message,
  ReasoningPart,
  RunUsage,
  SystemMessage,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolOutput,
  ToolResultPart,
  Usage,
  UserMessage,
} from '../../protocol/message.ts'
export type { ModelPrices, Script, ScriptScene, ScriptStep } from '../../protocol/model.ts'
export type {
  CallAbout,
  LimitName,
  Limits,
  PauseReason,
  PendingCall,
  Question,
  RunOutcome,
  RunResult,
  RunToolCall,
} from '../../protocol/run.ts'
export type { DroppedConversation, Retention } from '../../protocol/conversation.ts'
export type { ApprovalReason, Taint, WhileTainted } from '../../protocol/taint.ts'
export type {
  RemoteSource,
  SettledStatus,
  ToolAnnotations,
  ToolCallStatus,
} from '../../protocol/tool.ts'
