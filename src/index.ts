export { createAgent } from './client/create-agent.ts'
export { defineTool } from './client/define-tool.ts'
export { reduceEvent } from './client/snapshot.ts'
export { OffstageError } from './protocol/error.ts'

export type { Agent, CallRef, Conversations, ResumeOptions } from './client/agent.ts'
export type { AmbientEvent } from './client/ambient.ts'
export type { Conversation } from './client/conversation-view.ts'
export type { ControlTool } from './client/control-tools.ts'
export type { Extracted, ExtractOptions } from './client/extract.ts'
export type { InferInput } from './client/infer-schema.ts'
export type {
  AgentOptions,
  ApprovalPolicy,
  CredentialRequest,
  FinishedCall,
  HookedCall,
  ModelConfig,
  PromptValues,
  RunInput,
  RunOptions,
} from './client/options.ts'
export type { Run } from './client/run-handle.ts'
export type { ConversationSnapshot } from './client/snapshot.ts'
export type { WorkerLike } from './client/spawn-worker.ts'
export type { StandardSchema } from './client/standard-schema.ts'
export type { RegisterOptions } from './client/tool-registry.ts'
export type { ReconcileContext, Tool, ToolCallInfo, ToolContext } from './client/tool.ts'
export type { StorageConfig, StorageState, StoredConversation } from './protocol/conversation.ts'
export type { Engine, EngineLine, EngineOpening, EngineProgress } from './protocol/engine.ts'
export type { ErrorCode, ErrorData } from './protocol/error.ts'
export type { RunEvent } from './protocol/event.ts'
export type { ConversationRecord } from './protocol/journal.ts'
export type { AnthropicMessage, ChatMessage, HistoryMessage } from './protocol/history.ts'
export type { JsonObject, JsonSchema, JsonValue } from './protocol/json.ts'
export type {
  AssistantMessage,
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
} from './protocol/message.ts'
export type { Script, ScriptScene, ScriptStep } from './protocol/model.ts'
export type { ParkReason, PendingCall, RunOutcome, RunResult, RunToolCall } from './protocol/run.ts'
export type { ToolAnnotations, ToolCallStatus } from './protocol/tool.ts'
