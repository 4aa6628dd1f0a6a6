import type { FieldsSchema, QuestionAnswer } from '../../protocol/fields.ts'
import type { JsonSchema } from '../../protocol/json.ts'

/**
 * Sends a request like the page's `fetch`. Must honour `redirect` of the request, which may forbid following redirects.
 */
export type McpFetch = (url: URL, request: RequestInit) => Promise<Response>

/** Context of a request for a bearer token. */
export interface TokenRequest {
  /** True if the server refused the last token with 401. Return another token then. */
  readonly previousRejected: boolean
  readonly signal: AbortSignal
}

/** A form that a server asks a person to fill in during a call (MCP's elicitation, form mode). */
export interface McpElicitation {
  /** Origin of the server that asks. */
  readonly source: string
  /** The server's text, without hidden characters. Show it as plain text. */
  readonly message: string
  readonly fields: FieldsSchema
}

/** Tool call during which the server requests input. The `signal` is the call's own. */
export interface McpElicitationContext {
  readonly toolCallId: string
  readonly signal: AbortSignal
}

/** Options for a server's tools, however it is connected. */
export interface McpToolOptions {
  /**
   * True: the app believes the server's hints. Tools that the server marks as read-only then need no approval, and may
   * run again after a crash. Default false: all tools need approval.
   */
  readonly trusted?: boolean
  /** Prefix of each tool's name, followed by `__`. Default: the server's name. Empty: no prefix. */
  readonly prefix?: string
  /** Tools to include: their names on the server, or a function. Default: all. */
  readonly include?: readonly string[] | ((tool: McpToolInfo) => boolean)
  /** Maximum bytes of one answer from the server. Default 1 000 000. */
  readonly maxResultBytes?: number
  /**
   * Time limit for a call, for listing tools, and for a request for resources or prompts. Milliseconds. Default 60 000.
   */
  readonly timeoutMs?: number
  /** Adds tools that list and read the server's resources. Default false. */
  readonly resourceTools?: boolean
  /** Store for the tool definitions seen so far, for example `localStorage`. Default: in memory. */
  readonly pins?: McpKeyStore
  /**
   * Decides whether a changed definition is accepted at once. Default: the tool is withheld until `accept` is called.
   */
  readonly onDefinitionChange?: (
    change: DefinitionChange,
  ) => boolean | undefined | Promise<boolean | undefined>
  /** Called with the reason when something of the server is left out or refused. */
  readonly onDiagnostic?: (diagnostic: McpDiagnostic) => void
}

/** Options of `connectMcp`. Only `url` is required. Wrong options reject with `invalid-config`. */
export interface McpOptions extends McpToolOptions {
  /** URL of the server's endpoint. With `token`, `auth` or `headers`, it must use https or be on this machine. */
  readonly url: string | URL
  /**
   * HTTP headers that are added to each request to the server, such as an API key. If one is invalid, `connectMcp()`
   * rejects with `invalid-config`. Default: none.
   */
  readonly headers?: { readonly [name: string]: string }
  /** Returns a bearer token. Called for each request, and once more after a 401. Default: no token is sent. */
  readonly token?: (request: TokenRequest) => string | Promise<string>
  /** OAuth options, used if the server requires OAuth. */
  readonly auth?: McpAuthOptions
  /**
   * Answers the server's requests for input. `'ask_user'` asks the person, even after a reload; it needs `controlTools`
   * with `'ask_user'`, and `questionFields`. A function answers instead. Default: the server can't request input.
   */
  readonly elicitation?:
    | 'ask_user'
    | ((request: McpElicitation, context: McpElicitationContext) => Promise<QuestionAnswer>)
  /** Function that sends requests. Default: the page's `fetch`. */
  readonly fetch?: McpFetch
  /** Aborts connecting. Afterwards, closes the connection. */
  readonly signal?: AbortSignal
}

/** Something from a server that was left out or refused. Plain data. */
export interface McpDiagnostic {
  readonly type:
    | 'tool-left-out'
    | 'definition-changed'
    | 'description-cleaned'
    | 'list-failed'
    | 'name-clash'
    | 'input-refused'
    | 'stream-lost'
  /** Message for developers. Quotes from the server are shortened. */
  readonly message: string
  /** Name of the tool on the server. */
  readonly tool?: string
}

/** A tool's MCP hints, as the server sends them. Missing hints have MCP's defaults. */
export interface McpHints {
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** A server's description of a tool, checked and without hidden characters. */
export interface McpToolInfo {
  /** Name on the server. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly hints: McpHints
}

/** A definition that differs from the one first seen. */
export interface DefinitionChange {
  /** Name on the server. */
  readonly name: string
  readonly before: McpToolInfo
  readonly after: McpToolInfo
}

/** Methods of the official SDK's client that are used here. Versions 1 and 2 have them. */
export interface McpClientLike {
  callTool(params: never, ...rest: never[]): Promise<unknown>
  listTools(params?: never, ...rest: never[]): Promise<unknown>
  listResources?(params?: never, ...rest: never[]): Promise<unknown>
  listResourceTemplates?(params?: never, ...rest: never[]): Promise<unknown>
  readResource?(params: never, ...rest: never[]): Promise<unknown>
  listPrompts?(params?: never, ...rest: never[]): Promise<unknown>
  getPrompt?(params: never, ...rest: never[]): Promise<unknown>
  getServerCapabilities(): unknown
  getServerVersion(): unknown
  getInstructions?(): string | undefined
  close(): Promise<void>
}

/** Options of `fromMcpClient`. Only `source` is required. */
export interface FromMcpClientOptions extends McpToolOptions {
  /** Name or origin that people see as the source of the tools. */
  readonly source: string
}

/** A store of texts by key: `localStorage`, `sessionStorage`, or your own. */
export interface McpKeyStore {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
}

/** OAuth 2.1 as MCP requires: the code flow with PKCE, for a client that can't keep a secret. */
export interface McpAuthOptions {
  /** A page of this origin that calls `finishMcpAuth()`. */
  readonly redirectUrl: string | URL
  /**
   * Id under which the authorization server knows this app, or the https URL of the app's client metadata document.
   * Default: the app registers itself.
   */
  readonly clientId?: string
  /** Name of the app that people see when they log in. Default: the page's host. */
  readonly clientName?: string
  /** Scopes to request. Default: the scopes that the server names. */
  readonly scope?: string
  /**
   * `'popup'` (default) opens a window, which requires a user gesture right before. `'redirect'` leaves the page: call
   * `connectMcp` again after returning.
   */
  readonly mode?: 'popup' | 'redirect'
  /** Store for the tokens. Default: in memory. */
  readonly store?: McpKeyStore
  /**
   * Issuers of the only accepted authorization servers. Default: any server that the MCP server refers to and that
   * names itself in its answers (RFC 9207). If it doesn't name itself, its endpoints must share one origin, and
   * `clientId` can't be used.
   */
  readonly issuers?: readonly string[]
}
