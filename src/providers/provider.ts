import type { ErrorData } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Message, StreamPart } from '../protocol/message.ts'
import type { Credentials, Endpoint, ModelConfigData, ProviderId } from '../protocol/model.ts'
import type { ToolDefinition } from '../protocol/tool.ts'

/** The input of one model turn, in Offstage's own format. */
export interface ModelRequest {
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  readonly instructions?: string
  /** Text for the end of the request, after everything that may be cached: live context, notices. */
  readonly trailer?: string
  /**
   * `'action'`: `instructions` describe the tools, and the ACTION scanner reads the text. The provider sends no tools
   * and leaves the text unchanged, think tags included. Default `'native'`.
   */
  readonly toolMode?: 'native' | 'action'
  /**
   * Number of answers since the last user message, including answers no longer sent. Default: counted in `messages`.
   */
  readonly answers?: number
  /** Leaves think tags in the text in native mode, too. Default: moves their content out of the text. */
  readonly textAsWritten?: boolean
  /** Emits each piece of the provider's own data as a `raw` part, before the parts read from that piece. */
  readonly raw?: boolean
}

/** Names of the changes that an endpoint's refusals made necessary. `core/request-form.ts` lists them. */
export type RequestForm = ReadonlySet<string>

/** A request that the endpoint refused. */
export interface Refused {
  readonly providerId: string
  /** The request before the form's changes. */
  readonly request: ModelRequest
  readonly body: JsonObject
  readonly error: ErrorData
  /** The Responses API can be used instead. */
  readonly hasResponses: boolean
}

/** Finds the form in which an endpoint accepts the requests for one message. */
export interface RequestAdapter {
  /** Changes that the next request needs. */
  readonly form: RequestForm
  /** Handles a refusal. Returns true if the form has changed, so that another request is worth a try. */
  handleRefusal(refused: Refused): boolean | Promise<boolean>
  /** Remembers the form of an answered request. The first time, returns warnings about lost information. */
  answered(): readonly StreamPart[]
}

/** Options of one model call: `Provider.stream` and `Provider.batches` take them. */
export interface StreamOptions {
  /** Aborts the request. The last part is then an `error` with the code `aborted`. */
  readonly signal?: AbortSignal
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Called before the request, and once more after a 401. Default: no key. */
  readonly credentials?: (previousRejected: boolean, endpoint: Endpoint) => Promise<Credentials>
  /**
   * Adapts the requests for one message. Default: a new adapter. Accepted forms are kept until the page or worker ends.
   */
  readonly adapter?: RequestAdapter
}

/**
 * A configured model. One call is one attempt. A request is only repeated after a 401, with a fresh key, and up to
 * three times after a refusal of its form. Neither method throws or rejects because of an endpoint: the last part is
 * the outcome.
 */
export interface Provider {
  readonly id: string
  /** Yields parts, grouped by the network chunk that brought them. The loop uses this method. */
  batches(request: ModelRequest, options?: StreamOptions): AsyncIterable<readonly StreamPart[]>
  /** Yields the same parts one by one. */
  stream(request: ModelRequest, options?: StreamOptions): AsyncIterable<StreamPart>
}

/** A provider without `stream`, which is derived from `batches`. */
export type BatchProvider = Pick<Provider, 'id' | 'batches'>

/** Request in an endpoint's wire format, made by `toRequest`. Sent as a `POST` with a JSON body. */
export interface HttpRequest {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: JsonObject
}

/** A model's configuration with the key and headers of a single request. Never stored. */
export type RequestConfig = ModelConfigData & Credentials

/** A wire format over HTTP: two pure functions, and a state for one response. */
export interface HttpProviderDefinition<State> {
  readonly id: string
  /** Returns the base URL to pass to functions that return keys. Default: `config.baseURL`. */
  baseURL?(config: ModelConfigData): string
  /** `form`: changes that the endpoint requires. Changes of messages and tools are already made. */
  toRequest(request: ModelRequest, config: RequestConfig, form: RequestForm): HttpRequest
  /** `request` and `config` may decide how the answer is read; most formats need neither. */
  start(request: ModelRequest, config: RequestConfig, form: RequestForm): State
  /** `chunk`: one parsed JSON event of the stream, or the whole body of a non-streamed answer. */
  mapChunk(state: State, chunk: unknown): StreamPart[]
  /**
   * Called after the last chunk. `done`: the stream's own end marker (`[DONE]`) was seen. If no `finish` or `error`
   * part was returned by then, the stream counts as incomplete.
   */
  end?(state: State, ending: { readonly done: boolean }): StreamPart[]
  /**
   * Whether the model's output is over (a finish reason was sent) and only the end of the body is missing. From then
   * on, chunks without output don't keep the request open. Default: never.
   */
  isEnding?(state: State): boolean
  /** Loads the server's Responses API, if it can be used instead of this format. */
  responses?(): Promise<HttpProviderDefinition<unknown>>
}

/** A provider without an HTTP endpoint: a script, an engine in the browser. */
export interface StreamProviderDefinition {
  readonly id: string
  /** Yields single parts, or a list of parts that arrived together. */
  stream(
    request: ModelRequest,
    config: ModelConfigData,
    options: StreamOptions,
  ): AsyncIterable<StreamPart | readonly StreamPart[]>
}

// Each built-in id is in one of these groups, and definitions of a group are keyed by its ids. An id that is
// added in one place only doesn't compile.

/** Providers whose engines run in the browser. */
export type EngineId = Extract<ProviderId, 'webllm' | 'wllama' | 'prompt-api'>

/** Providers with Anthropic's Messages format. */
export type MessagesId = Extract<ProviderId, 'anthropic' | 'minimax'>

/** Providers with Chat Completions: all others. */
export type ChatId = Exclude<ProviderId, EngineId | MessagesId | 'scripted'>
