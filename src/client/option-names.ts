import type { OptionNames } from './check-names.ts'
import type { RetryPolicy, Script, ScriptStep, TimeoutPolicy } from '../protocol/model.ts'
import type { ToolAnnotations } from '../protocol/tool.ts'
import type { Agent, ResumeOptions } from './agent.ts'
import type { ExtractOptions } from './extract.ts'
import type { AgentOptions, ModelConfig, RunOptions } from './options.ts'
import type { RegisterOptions } from './tool-registry.ts'
import type { Tool } from './tool.ts'

/** Every name of the type, and no other. */
type NamesOf<Options> = { readonly [Name in keyof Required<Options>]: 1 | OptionNames }

const step: NamesOf<ScriptStep> = {
  text: 1,
  reasoning: 1,
  toolCalls: { toolName: 1, input: 1 },
  error: 1,
  delayMs: 1,
}

const retry: NamesOf<RetryPolicy> = { maxRetries: 1, baseDelayMs: 1, maxDelayMs: 1 }
const timeouts: NamesOf<TimeoutPolicy> = { firstChunkMs: 1, idleMs: 1 }
const script: NamesOf<Script> = {
  steps: step,
  scenes: { match: 1, steps: step },
  fallback: step,
  paceMs: 1,
  pieceLength: 1,
}

export const modelNames: NamesOf<ModelConfig> = {
  provider: 1,
  model: 1,
  baseURL: 1,
  apiKey: 1,
  headers: 1,
  credentials: 1,
  toolMode: 1,
  contextWindow: 1,
  temperature: 1,
  maxOutputTokens: 1,
  topP: 1,
  stop: 1,
  seed: 1,
  toolChoice: { toolName: 1 },
  parallelToolCalls: 1,
  extraBody: 1,
  transport: 1,
  retry,
  timeouts,
  script,
}

/** `model` and `tools` are checked apart. */
export const agentNames: NamesOf<AgentOptions> = {
  model: 1,
  instructions: 1,
  values: 1,
  tools: 1,
  enabledTools: 1,
  controlTools: 1,
  context: 1,
  toolApproval: 1,
  beforeToolCall: 1,
  afterToolCall: 1,
  maxSteps: 1,
  retries: 1,
  storage: { name: 1 },
  worker: 1,
  workerUrl: 1,
  engines: 1,
  raw: 1,
  heartbeatMs: 1,
}

export const configureNames: NamesOf<Parameters<Agent['configure']>[0]> = {
  model: 1,
  instructions: 1,
  values: 1,
}

export const runNames: NamesOf<RunOptions> = {
  conversationId: 1,
  signal: 1,
  maxSteps: 1,
  retries: 1,
  ifBusy: 1,
  history: 1,
  values: 1,
}

export const resumeNames: NamesOf<ResumeOptions> = {
  interrupted: 1,
  waitForToolsMs: 1,
}

export const registerNames: NamesOf<RegisterOptions> = { signal: 1, replace: 1 }

export const extractNames: NamesOf<ExtractOptions<unknown>> = {
  schema: 1,
  input: 1,
  retries: 1,
}

const annotations: NamesOf<ToolAnnotations> = {
  readOnly: 1,
  destructive: 1,
  idempotent: 1,
  title: 1,
  openWorldHint: 1,
}

export const toolNames: NamesOf<Tool> = {
  name: 1,
  title: 1,
  description: 1,
  inputSchema: 1,
  jsonSchema: 1,
  annotations,
  timeoutMs: 1,
  sequential: 1,
  needsApproval: 1,
  available: 1,
  dispose: 1,
  reconcile: 1,
  toModelOutput: 1,
  metadata: 1,
  execute: 1,
}
