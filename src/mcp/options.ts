import type { QuestionAnswer } from '../protocol/fields.ts'
import type { FieldsSchema } from '../protocol/fields.ts'
import type { McpAuthOptions, McpKeyStore } from './auth/options.ts'
import type { McpDiagnostic } from './diagnostic.ts'
import type { DefinitionChange, McpToolInfo } from './tool-info.ts'

/** As the page's `fetch`. It must not follow redirects where the request says so. */
export type McpFetch = (url: URL, request: RequestInit) => Promise<Response>

/** What a bearer token is asked for. */
export interface TokenRequest {
  /** The server refused the last one with 401: return another. */
  readonly previousRejected: boolean
  readonly signal: AbortSignal
}

/** A form that a server asks a person to fill in, in the course of a call (MCP's elicitation, form mode). */
export interface McpElicitation {
  /** Who asks: the server's origin. */
  readonly source: string
  /** The server's words, without hidden characters: show them as text. */
  readonly message: string
  readonly fields: FieldsSchema
}

export interface McpElicitationContext {
  readonly toolCallId: string
  readonly signal: AbortSignal
}

/** How the tools of a server are taken, however it is connected. */
export interface McpToolOptions {
  /**
   * The app believes what the server says of its tools: one that it calls read-only isn't asked about, and may be run
   * again after a crash. Default false.
   */
  readonly trusted?: boolean
  /** Before each tool's name, with `__` between. Default: the server's name. Empty: none. */
  readonly prefix?: string
  /** Names of tools as the server has them, or a function of each. Default: all. */
  readonly include?: readonly string[] | ((tool: McpToolInfo) => boolean)
  /** Bytes of one answer of the server. Default 1 000 000. */
  readonly maxResultBytes?: number
  /** Milliseconds of one call, one listing, or one question for resources and prompts. Default 60 000. */
  readonly timeoutMs?: number
  /** Adds tools that list and read the server's resources. Default false. */
  readonly resourceTools?: boolean
  /** Where the definitions of tools that were seen are kept, for example `localStorage`. Default: in memory. */
  readonly pins?: McpKeyStore
  /** Whether a changed definition counts. Default: no, until `accept` is called. */
  readonly onDefinitionChange?: (
    change: DefinitionChange,
  ) => boolean | undefined | Promise<boolean | undefined>
  /** Notified of what was left out, and why. */
  readonly onDiagnostic?: (diagnostic: McpDiagnostic) => void
}

export interface McpOptions extends McpToolOptions {
  /** Of the server's endpoint. With `token`, `auth` or `headers`: https, or of this machine. */
  readonly url: string | URL
  readonly headers?: { readonly [name: string]: string }
  /** A bearer token, asked for with each request, and once more after a 401. */
  readonly token?: (request: TokenRequest) => string | Promise<string>
  /** OAuth, when the server asks for it. */
  readonly auth?: McpAuthOptions
  /**
   * Who answers when the server asks for input: the person, by the agent's `ask_user` (which needs `controlTools` with
   * `'ask_user'`, and `questionFields`), also after a reload; or a function. Default: the server can't ask.
   */
  readonly elicitation?:
    | 'ask_user'
    | ((request: McpElicitation, context: McpElicitationContext) => Promise<QuestionAnswer>)
  /** Default: the page's. */
  readonly fetch?: McpFetch
  /** Aborts connecting, and closes the connection. */
  readonly signal?: AbortSignal
}
