import type { Fields } from './wire.ts'
import type { HeaderParameter } from './headers.ts'

/** What a server says of itself. Its words are not verified. */
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
  /** May be sent again when its answer was lost. */
  readonly repeatable?: boolean
}

/** Answers to what a server asked, and whatever it wants back with them (`requestState`). */
export interface Answers {
  readonly inputResponses: Fields
  readonly requestState?: string
}

export interface ToolRequest {
  /** As the server has it. */
  readonly name: string
  readonly input: Fields
  /** The arguments that are sent as headers, too. */
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

/** How far a call came: it is done, or the server asks first. Plain data. */
export type Round =
  | { readonly type: 'done'; readonly result: Fields }
  | { readonly type: 'asks'; readonly requests: Fields; readonly requestState?: string }

/** What a server's lists are of. */
export type ListName = 'tools' | 'resources' | 'prompts'

export interface Listener {
  changed(list: ListName): void
  /** No changes are told any more. */
  lost(why: string): void
}

/** A server of whatever revision, connected. Rejections are `OffstageError`s. */
export interface McpLine {
  readonly source: string
  /** A digest of its whole address; absent: nothing but the source is known of it. */
  readonly endpoint?: string
  readonly info: ServerInfo
  request(method: string, params: Fields, options: RequestOptions): Promise<Fields>
  call(request: ToolRequest, options: CallOptions): Promise<Round>
  /** Until it is closed. */
  listen(listener: Listener): void
  close(): Promise<void>
}
