import type { Fields } from './wire.ts'
import type { HeaderParameter } from './headers.ts'

/** A server's description of itself. None of it is verified. */
export interface ServerInfo {
  readonly name: string
  readonly title?: string
  readonly version?: string
  readonly instructions?: string
  readonly protocolVersion: string
  readonly capabilities: Fields
}

export interface RequestOptions {
  readonly signal: AbortSignal
  /** True if the request may be sent again after its answer was lost. */
  readonly repeatable?: boolean
}

/** Answers to a server's questions, and the state that it wants back with them (`requestState`). */
export interface Answers {
  readonly inputResponses: Fields
  readonly requestState?: string
}

export interface ToolRequest {
  /** Name on the server. */
  readonly name: string
  readonly input: Fields
  /** Arguments that are also sent as headers. */
  readonly headers: readonly HeaderParameter[]
}

export interface CallOptions extends RequestOptions {
  readonly answers?: Answers
  progress(value: ProgressNote): void
}

export interface ProgressNote {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** Result of one round of a call: done, or questions of the server. Plain data. */
export type Round =
  | { readonly type: 'done'; readonly result: Fields }
  | { readonly type: 'asks'; readonly requests: Fields; readonly requestState?: string }

/** Lists that a server may have. */
export type ListName = 'tools' | 'resources' | 'prompts'

export interface Listener {
  changed(list: ListName): void
  /** Called when changes are no longer reported. */
  lost(why: string): void
}

/** A connected server of any revision. Rejections are `OffstageError`s. */
export interface McpLine {
  readonly source: string
  /** Digest of the server's whole URL. Missing if only the source is known. */
  readonly endpoint?: string
  readonly info: ServerInfo
  request(method: string, params: Fields, options: RequestOptions): Promise<Fields>
  call(request: ToolRequest, options: CallOptions): Promise<Round>
  /** Reports changes until the line is closed. */
  listen(listener: Listener): void
  close(): Promise<void>
}
