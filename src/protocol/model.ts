import type { JsonObject, JsonValue } from './json.ts'

/** Ids of the providers that are built into the worker. */
export const PROVIDER_IDS = [
  'openai',
  'anthropic',
  'minimax',
  'gemini',
  'ollama',
  'lmstudio',
  'llamacpp',
  'vllm',
  'localai',
  'openai-compatible',
  'webllm',
  'wllama',
  'prompt-api',
  'scripted',
] as const

/** A provider of the package. */
export type ProviderId = (typeof PROVIDER_IDS)[number]

/** What is asked for where the configuration names no model, by provider id; the others need a name. */
export const DEFAULT_MODELS: { readonly [providerId: string]: string } = {
  minimax: 'MiniMax-M2.5',
}

/** The model that the configuration names, or its provider's default; empty where there is none. */
export function modelName(config: { readonly provider: string; readonly model?: string }): string {
  if (config.model) return config.model
  const { provider } = config
  return (Object.hasOwn(DEFAULT_MODELS, provider) && DEFAULT_MODELS[provider]) || ''
}

export type ToolMode = 'auto' | 'native' | 'action'

/** OpenAI's wire formats: the Responses API, or Chat Completions, which most other servers speak. */
export type ModelApi = 'responses' | 'chat'

export type InputMode = 'messages' | 'prompt'

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly toolName: string }

/** Transport retries of one model call. */
export interface RetryPolicy {
  /** Attempts after the first. Default 3. */
  readonly maxRetries?: number
  /** Delay before the first retry, doubled for each next one, with jitter. Default 500. */
  readonly baseDelayMs?: number
  /** No delay is longer; a `Retry-After` beyond it ends the retries. Default 30 000. */
  readonly maxDelayMs?: number
}

export interface TimeoutPolicy {
  /**
   * Until the first content of the answer. Default 120 000 (a local model may have to load). Comments, empty deltas and
   * white space are no content: with them, five times as long.
   */
  readonly firstChunkMs?: number
  /** Between two pieces of content; with comments and the like, five times as long. Default 60 000. */
  readonly idleMs?: number
}

/**
 * Whether calls are read that a model with native tools wrote as text. `'auto'`: with vendors whose native
 * calls aren't dependable, unless `toolChoice` is `'none'`.
 */
export type Rescue = 'auto' | 'off'

/** How much one model turn may hold. More ends the run with `response-too-large`, and nothing of it runs. */
export interface TurnCaps {
  /** Default 64. */
  readonly calls?: number
  /** Characters. Default 1 000 000. */
  readonly text?: number
  /** Characters. Default 1 000 000. */
  readonly reasoning?: number
  /** Characters of all calls' arguments as JSON. Default 1 000 000. */
  readonly arguments?: number
  /**
   * Characters of what isn't shown: signatures, citations, encrypted content, calls without a name. Default
   * 32 000 000.
   */
  readonly metadata?: number
  /** Characters of the files that the model produces, in base64. Default 32 000 000. */
  readonly files?: number
}

/** What a model costs: USD per million tokens. */
export interface ModelPrices {
  readonly input: number
  /** Of input that was read from a cache. Default: as `input`. */
  readonly cachedInput?: number
  /** Of input that was written into a cache. Default: as `input`. */
  readonly cacheWrite?: number
  /** Reasoning included. */
  readonly output: number
}

/** One model turn of the scripted provider. */
export interface ScriptStep {
  readonly text?: string
  readonly reasoning?: string
  readonly toolCalls?: readonly { readonly toolName: string; readonly input: JsonValue }[]
  /** Ends the turn as a provider's failure with these words. */
  readonly error?: string
  /** Milliseconds before the first piece. */
  readonly delayMs?: number
}

/** Chosen when the last user message holds one of `match` (any letter case). */
export interface ScriptScene {
  readonly match: readonly string[]
  readonly steps: readonly ScriptStep[]
}

/**
 * A script is plain data. Its position is the number of assistant messages since the last user
 * message, so it survives a reload.
 */
export interface Script {
  readonly steps?: readonly ScriptStep[]
  readonly scenes?: readonly ScriptScene[]
  /** When no scene matches. Without it, an unmatched request is a `script-exhausted` error. */
  readonly fallback?: readonly ScriptStep[]
  /** Milliseconds between two pieces of text. Default 0. */
  readonly paceMs?: number
  /** Characters a piece. Default 4. */
  readonly pieceLength?: number
}

/** A model and how to reach it, as it crosses to the worker: plain data, no key, no functions. */
export interface ModelConfigData {
  /** One of the built-in ids, or one that a custom worker registered. */
  readonly provider: ProviderId | (string & {})
  readonly model: string
  /** Absolute; providers get it without a slash at the end. Default: the provider's own. */
  readonly baseURL?: string
  readonly headers?: { readonly [name: string]: string }
  readonly credentials?: 'omit' | 'same-origin'
  /**
   * Which of OpenAI's wire formats the server is asked in. Default: `'responses'` for the provider `openai` at its own
   * address, else `'chat'`.
   */
  readonly api?: ModelApi
  /** Default `'auto'`: native, and ACTION once the server has refused tools, or with `inputMode: 'prompt'`. */
  readonly toolMode?: ToolMode
  /**
   * `'prompt'`: instructions, messages, calls and results are sent as one text, for models that complete a text
   * rather than chat. Scripts always get messages. Default `'messages'`.
   */
  readonly inputMode?: InputMode
  /** Default `'auto'`. */
  readonly rescue?: Rescue
  /** Tokens. */
  readonly contextWindow?: number
  readonly temperature?: number
  readonly maxOutputTokens?: number
  readonly topP?: number
  readonly stop?: readonly string[]
  readonly seed?: number
  /**
   * What the server is asked for. `'none'` is kept to here, too: a call all the same doesn't run. That a model
   * calls, or which tool, is up to its server: another tool that is offered runs.
   */
  readonly toolChoice?: ToolChoice
  readonly parallelToolCalls?: boolean
  /**
   * The vendor holds native calls to their tools' schemas, where it can: with `openai` and `anthropic`, for schemas that
   * it takes. Default false.
   */
  readonly strictTools?: boolean
  /**
   * Asks for prompt caching in Anthropic's format; other formats cache without being asked. Default: true at the
   * addresses of Anthropic and MiniMax. Set `true` for a relay or proxy that passes `cache_control` on.
   */
  readonly cache?: boolean
  /** Merged into the request body last. */
  readonly extraBody?: JsonObject
  /** Who calls fetch. `'page'` where a worker may not reach the endpoint. Default `'worker'`. */
  readonly transport?: 'worker' | 'page'
  readonly retry?: RetryPolicy
  readonly timeouts?: TimeoutPolicy
  readonly caps?: TurnCaps
  /** For `costUSD` of usage and limits. Default: the vendor's list prices, of models whose prices are known. */
  readonly prices?: ModelPrices
  /** For `provider: 'scripted'`. */
  readonly script?: Script
}

/** Where a request that is to be signed goes. */
export interface Endpoint {
  readonly provider: string
  /** With the provider's default filled in. Absent where a custom provider doesn't say. */
  readonly baseURL?: string
  /** Of `baseURL`. */
  readonly origin?: string
}

/** What a request is signed with. Lives in memory only. */
export interface Credentials {
  readonly apiKey?: string
  readonly headers?: { readonly [name: string]: string }
}
