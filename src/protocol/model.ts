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

/** Id of a built-in provider. */
export type ProviderId = (typeof PROVIDER_IDS)[number]

/** Default models by provider id. Providers that aren't listed require a model name. */
export const DEFAULT_MODELS: { readonly [providerId: string]: string } = {
  minimax: 'MiniMax-M2.5',
}

/** Returns the configured model or the provider's default; empty if there is neither. */
export function modelName(config: { readonly provider: string; readonly model?: string }): string {
  if (config.model) return config.model
  const { provider } = config
  return (Object.hasOwn(DEFAULT_MODELS, provider) && DEFAULT_MODELS[provider]) || ''
}

export type ToolMode = 'auto' | 'native' | 'action'

/** OpenAI's wire formats: the Responses API, or Chat Completions, which most other servers use. */
export type ModelApi = 'responses' | 'chat'

export type InputMode = 'messages' | 'prompt'

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly toolName: string }

/** Transport retries of one model call. */
export interface RetryPolicy {
  /** Attempts after the first. Default 3. */
  readonly maxRetries?: number
  /** Delay before the first retry, in milliseconds. Doubled for each further retry, with jitter. Default 500. */
  readonly baseDelayMs?: number
  /** Longest delay, in milliseconds. If a server asks for a longer delay, the retries end. Default 30 000. */
  readonly maxDelayMs?: number
}

export interface TimeoutPolicy {
  /**
   * Milliseconds until the first content of the answer. Default 120 000, since a local model may have to load.
   * Comments, empty deltas and white space aren't content. While they arrive, the timeout is five times as long.
   */
  readonly firstChunkMs?: number
  /**
   * Milliseconds between two pieces of content. Comments and the like extend it as in `firstChunkMs`. Default 60 000.
   */
  readonly idleMs?: number
}

/**
 * Whether to parse calls that a model with native tools wrote as text. `'auto'`: only for vendors with unreliable
 * native calls, and not with `toolChoice: 'none'`.
 */
export type Rescue = 'auto' | 'off'

/** Maximum sizes of one model turn. A larger turn ends the run with `response-too-large`, and none of its calls run. */
export interface TurnCaps {
  /** Number of calls. Default 64. */
  readonly calls?: number
  /** Characters. Default 1 000 000. */
  readonly text?: number
  /** Characters. Default 1 000 000. */
  readonly reasoning?: number
  /** Characters of all calls' arguments as JSON. Default 1 000 000. */
  readonly arguments?: number
  /** Characters of hidden data: signatures, citations, encrypted content, calls without a name. Default 32 000 000. */
  readonly metadata?: number
  /** Characters of the model's files in base64. Default 32 000 000. */
  readonly files?: number
}

/** Prices of a model in USD per million tokens. */
export interface ModelPrices {
  readonly input: number
  /** Price of input that is read from a cache. Default: the value of `input`. */
  readonly cachedInput?: number
  /** Price of input that is written into a cache. Default: the value of `input`. */
  readonly cacheWrite?: number
  /** Price of output, including reasoning. */
  readonly output: number
}

/** A model turn of the scripted provider. */
export interface ScriptStep {
  readonly text?: string
  readonly reasoning?: string
  readonly toolCalls?: readonly { readonly toolName: string; readonly input: JsonValue }[]
  /** The turn fails with this text as the provider's error message. */
  readonly error?: string
  /** Milliseconds before the first piece. */
  readonly delayMs?: number
}

/** Steps for requests whose last user message contains one of `match`, in any letter case. */
export interface ScriptScene<Step = ScriptStep> {
  readonly match: readonly string[]
  readonly steps: readonly Step[]
}

/**
 * A scripted conversation as plain data. The next step follows from the number of assistant messages since the last
 * user message, so a script survives a reload.
 */
export interface Script<Step = ScriptStep> {
  readonly steps?: readonly Step[]
  readonly scenes?: readonly ScriptScene<Step>[]
  /** Steps for requests without a matching scene. Default: the request fails with `script-exhausted`. */
  readonly fallback?: readonly Step[]
  /** Milliseconds between two pieces of text. Default 0. */
  readonly paceMs?: number
  /** Characters per piece. Default 4. */
  readonly pieceLength?: number
}

/** A model and how to reach it, as sent to the worker: plain data without keys and functions. */
export interface ModelConfigData {
  /** A built-in provider's id, or an id that a custom worker registered. */
  readonly provider: ProviderId | (string & {})
  readonly model: string
  /** Absolute address. Providers get it without a trailing slash. Default: the provider's own. */
  readonly baseURL?: string
  readonly headers?: { readonly [name: string]: string }
  readonly credentials?: 'omit' | 'same-origin'
  /**
   * OpenAI wire format of the server. Default: `'responses'` for the provider `openai` at its own address, otherwise
   * `'chat'`.
   */
  readonly api?: ModelApi
  /** Default `'auto'`: native calls. With `inputMode: 'prompt'`, or if the server has refused tools: ACTION. */
  readonly toolMode?: ToolMode
  /**
   * `'prompt'`: sends instructions, messages, calls and results as one text, for completion models without chat. The
   * provider `scripted` ignores it. Default `'messages'`.
   */
  readonly inputMode?: InputMode
  /** Default `'auto'`. */
  readonly rescue?: Rescue
  /** Size in tokens. */
  readonly contextWindow?: number
  readonly temperature?: number
  readonly maxOutputTokens?: number
  readonly topP?: number
  readonly stop?: readonly string[]
  readonly seed?: number
  /**
   * Tool choice for the server. With `'none'`, Offstage itself refuses calls, too. Other choices are only requested: if
   * the model calls another offered tool instead, that tool runs.
   */
  readonly toolChoice?: ToolChoice
  readonly parallelToolCalls?: boolean
  /**
   * Asks `openai` and `anthropic` to enforce the tools' schemas in native calls, for schemas that they support. Default
   * false.
   */
  readonly strictTools?: boolean
  /**
   * Requests prompt caching in Anthropic's format; other formats cache without a request. Default: true at the
   * addresses of Anthropic and MiniMax. Set `true` for a relay or proxy that forwards `cache_control`.
   */
  readonly cache?: boolean
  /** Fields merged into the request body last. */
  readonly extraBody?: JsonObject
  /** Where `fetch` is called. Use `'page'` if a worker can't reach the endpoint. Default `'worker'`. */
  readonly transport?: 'worker' | 'page'
  readonly retry?: RetryPolicy
  readonly timeouts?: TimeoutPolicy
  readonly caps?: TurnCaps
  /** Prices for `costUSD` in usage and limits. Default: the vendor's list prices, if known for the model. */
  readonly prices?: ModelPrices
  /** Script for `provider: 'scripted'`. */
  readonly script?: Script
}

/** Destination of a request that needs credentials. */
export interface Endpoint {
  readonly provider: string
  /** The configured address or the provider's default. Undefined if a custom provider doesn't report one. */
  readonly baseURL?: string
  /** Origin of `baseURL`. */
  readonly origin?: string
}

/** Credentials for a request. Kept in memory only. */
export interface Credentials {
  readonly apiKey?: string
  readonly headers?: { readonly [name: string]: string }
}

/** Ids of the providers with a built-in price list. */
export const PRICED_VENDORS = ['openai', 'anthropic', 'gemini', 'minimax'] as const

export type PricedVendor = (typeof PRICED_VENDORS)[number]

export function isPricedVendor(provider: string): provider is PricedVendor {
  return (PRICED_VENDORS as readonly string[]).includes(provider)
}

/** Error message for a cost limit without known prices of the model. */
export function pricesMissing(model: string): string {
  return `limits.costUSD needs the prices of ${model}, which are unknown. Set model.prices, like { input: 3, cachedInput: 0.3, output: 15 } in USD per million tokens.`
}
