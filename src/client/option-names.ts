import type { RetryPolicy, Script, ScriptStep, TimeoutPolicy, TurnCaps } from '../protocol/model.ts'
import type { ToolAnnotations } from '../protocol/tool.ts'
import type { Agent, ResumeOptions } from './agent.ts'
import type { ExtractOptions } from './extract.ts'
import type { AgentOptions, ModelConfig, RunOptions } from './options.ts'
import type { RegisterOptions } from './tool-registry.ts'
import type { Tool } from './tool.ts'

/**
 * The names of options, by what they are options of; where that is an option itself, by its name. In
 * text, for its size; the types below see that none is missing.
 */
export const OPTION_NAMES = {
  createAgent:
    'model instructions values tools enabledTools controlTools context toolApproval beforeToolCall afterToolCall maxSteps retries storage worker workerUrl engines raw heartbeatMs',
  configure: 'model instructions values',
  run: 'conversationId signal maxSteps retries ifBusy history values',
  resume: 'interrupted waitForToolsMs',
  registerTool: 'signal replace',
  extract: 'schema input retries signal onUsage',
  model:
    'provider model baseURL apiKey headers credentials toolMode contextWindow temperature maxOutputTokens topP stop seed toolChoice parallelToolCalls extraBody transport retry timeouts caps rescue script',
  tool: 'name title description inputSchema jsonSchema annotations timeoutMs sequential needsApproval available dispose reconcile toModelOutput metadata execute',
  // The last two are MCP's: they mean nothing here and do no harm.
  annotations: 'readOnly destructive idempotent title openWorldHint',
  storage: 'name',
  retry: 'maxRetries baseDelayMs maxDelayMs',
  timeouts: 'firstChunkMs idleMs',
  caps: 'calls text reasoning arguments',
  toolChoice: 'toolName',
  script: 'steps scenes fallback paceMs pieceLength',
  scenes: 'match steps',
  steps: 'text reasoning toolCalls error delayMs',
  toolCalls: 'toolName input',
} as const

type Split<Names extends string> = Names extends `${infer First} ${infer Rest}`
  ? First | Split<Rest>
  : Names

/** Never, unless a name is missing here or isn't there any more. */
type Differences<Of extends keyof typeof OPTION_NAMES, Name extends string> =
  | Exclude<Split<(typeof OPTION_NAMES)[Of]>, Name>
  | Exclude<Name, Split<(typeof OPTION_NAMES)[Of]>>

type AllDifferences =
  | Differences<'createAgent', keyof AgentOptions>
  | Differences<'configure', keyof Parameters<Agent['configure']>[0]>
  | Differences<'run', keyof RunOptions>
  | Differences<'resume', keyof ResumeOptions>
  | Differences<'registerTool', keyof RegisterOptions>
  | Differences<'extract', keyof ExtractOptions<unknown>>
  | Differences<'model', keyof ModelConfig>
  | Differences<'tool', keyof Tool>
  | Differences<'annotations', keyof ToolAnnotations>
  | Differences<'retry', keyof RetryPolicy>
  | Differences<'timeouts', keyof TimeoutPolicy>
  | Differences<'caps', keyof TurnCaps>
  | Differences<'script', keyof Script>
  | Differences<'steps', keyof ScriptStep>

OPTION_NAMES satisfies [AllDifferences] extends [never] ? object : AllDifferences
