import type { ErrorData } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Message } from '../protocol/message.ts'
import type { Credentials, Endpoint, ModelConfigData } from '../protocol/model.ts'
import type { StreamPart } from '../protocol/stream-part.ts'
import type { ToolDefinition } from '../protocol/tool.ts'

/** One model turn, in Offstage's own terms. */
export interface ModelRequest {
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  readonly instructions?: string
  /** Text for the end of the request, after everything that may be cached: live context, notices. */
  readonly trailer?: string
  /**
   * `'action'`: tools are described in `instructions` and the text is read by the ACTION scanner, so
   * the provider sends no tools and leaves the text (think tags too) as it is. Default `'native'`.
   */
  readonly toolMode?: 'native' | 'action'
  /** Answers since the person's last message, with those that are no longer sent. Default: those in `messages`. */
  readonly answers?: number
  /** Whoever asks reads the text: think tags are left in it in native mode, too. Default: they are split off. */
  readonly textAsWritten?: boolean
  /** Emit each piece of the provider's own data as a `raw` part before what was read from it. */
  readonly raw?: boolean
}

/**
 * Changes that an endpoint's refusals made to its requests. `core/request-form.ts` lists their names.
 */
export type RequestForm = ReadonlySet<string>

/** A request as it was refused. */
export interface Refused {
  readonly providerId: string
  /** Before its form was changed. */
  readonly request: ModelRequest
  readonly body: JsonObject
  readonly error: ErrorData
  /** The Responses API can be asked instead. */
  readonly hasResponses: boolean
}

/** Finds the form in which an endpoint takes the requests for one message. */
export interface Ladder {
  /** The form of the next request. */
  readonly form: RequestForm
  /** Takes a refusal. True: the form has changed, for another request. */
  climb(refused: Refused): boolean
  /** Remembers the form of an answered request. Returns warnings of what it lost, the first time. */
  answered(): readonly StreamPart[]
}

export interface StreamOptions {
  readonly signal?: AbortSignal
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Called before the request, and once more after a 401. Default: no key. */
  readonly credentials?: (previousRejected: boolean, endpoint: Endpoint) => Promise<Credentials>
  /** Counts the requests for one message. Default: a new one, whose forms are kept while the realm lives. */
  readonly ladder?: Ladder
}

/**
 * A configured model. One call is one attempt: a request is repeated only after a 401, with a fresh
 * key, and after a refusal of its form, up to three times.
 * Neither method throws or rejects for what an endpoint can do: the last part is the outcome.
 */
export interface Provider {
  readonly id: string
  /** Parts, grouped by the network chunk that brought them. What the loop uses. */
  batches(request: ModelRequest, options?: StreamOptions): AsyncIterable<readonly StreamPart[]>
  /** The same parts, one by one. */
  stream(request: ModelRequest, options?: StreamOptions): AsyncIterable<StreamPart>
}

/** What a provider is made of: its parts one by one are the same. */
export type BatchProvider = Pick<Provider, 'id' | 'batches'>

export interface HttpRequest {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: JsonObject
}

/** A model's configuration with the key and headers of this one request. In memory only. */
export type RequestConfig = ModelConfigData & Credentials

/** A wire format over HTTP: two pure functions, and a state for one response. */
export interface HttpProviderDefinition<State> {
  readonly id: string
  /** Where requests go, for the functions that return keys. Default: `config.baseURL`. */
  baseURL?(config: ModelConfigData): string
  /** `form`: what the endpoint has refused so far. Changes that are the same for all formats are made elsewhere. */
  toRequest(request: ModelRequest, config: RequestConfig, form: RequestForm): HttpRequest
  /** `request` and `config` may decide how the answer is read; most formats need neither. */
  start(request: ModelRequest, config: RequestConfig, form: RequestForm): State
  /** `chunk`: one parsed JSON event of the stream, or the whole body of a non-streamed answer. */
  mapChunk(state: State, chunk: unknown): StreamPart[]
  /**
   * After the last chunk. `done`: the stream's own end marker (`[DONE]`) was seen. Without a `finish`
   * or `error` part by then, the stream counts as incomplete.
   */
  end?(state: State, ending: { readonly done: boolean }): StreamPart[]
  /**
   * The output was said to be over (a finish reason), so that only the end of the body is awaited. From
   * then on what holds no output doesn't keep the request open. Default: never.
   */
  isEnding?(state: State): boolean
  /** The same server's Responses API, where it can be asked in place of this format. Loaded when it is used. */
  responses?(): Promise<HttpProviderDefinition<unknown>>
}

/** A provider that is no HTTP endpoint: a script, an engine in the browser. */
export interface StreamProviderDefinition {
  readonly id: string
  /** Parts one by one, or those that came together as a list. */
  stream(
    request: ModelRequest,
    config: ModelConfigData,
    options: StreamOptions,
  ): AsyncIterable<StreamPart | readonly StreamPart[]>
}
