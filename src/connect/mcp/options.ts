import type { FieldsSchema, QuestionAnswer } from '../../protocol/fields.ts'
import type { JsonSchema } from '../../protocol/json.ts'

/** Sends a request as the page's `fetch` does. Must not follow redirects if the request says so. */
export type McpFetch = (url: URL, request: RequestInit) => Promise<Response>

/** Context of a request for a bearer token. */
export interface TokenRequest {
  /** True if the server refused the last token with 401: return another one. */
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
  /** Most bytes of one answer of the server. Default 1 000 000. */
  readonly maxResultBytes?: number
  /** Time limit for a call, a listing, or a request for resources or prompts. Milliseconds. Default 60 000. */
  readonly timeoutMs?: number
  /** Adds tools that list and read the server's resources. Default false. */
  readonly resourceTools?: boolean
  /** Store for the tool definitions seen so far, for example `localStorage`. Default: in memory. */
  readonly pins?: McpKeyStore
  /** Decides whether a changed definition is accepted. Default: no, until `accept` is called. */
  readonly onDefinitionChange?: (
    change: DefinitionChange,
  ) => boolean | undefined | Promise<boolean | undefined>
  /** Called for each thing that was left out, with the reason. */
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
  /** Returns a bearer token. Called for each request, and once more after a 401. Default: none. */
  readonly token?: (request: TokenRequest) => string | Promise<string>
  /** OAuth, used if the server requires it. */
  readonly auth?: McpAuthOptions
  /**
   * Answers the server's requests for input. `'ask_user'` asks the person, also after a reload; it needs `controlTools`
   * with `'ask_user'`, and `questionFields`. A function answers by itself. Default: the server can't ask.
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
  /** Message for the developer. The server's own text in it is shortened. */
  readonly message: string
  /** Name of the tool on the server. */
  readonly tool?: string
}

/** A tool's MCP hints, as the server gives them. MCP's defaults apply to missing ones. */
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

/** The methods used here of the official SDK's client. Versions 1 and 2 have them. */
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
  /** Source of the tools that people see: a name or an origin. */
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
   * Id under which the authorization server knows this app, or the https URL of its client metadata document. Default:
   * the app registers itself.
   */
  readonly clientId?: string
  /** Name of the app that the person sees when logging in. Default: the page's host. */
  readonly clientName?: string
  /** Scopes to request. Default: those that the server asks for. */
  readonly scope?: string
  /**
   * `'popup'` needs a user gesture right before, and is the default. `'redirect'` leaves the page: call `connectMcp`
   * again after returning.
   */
  readonly mode?: 'popup' | 'redirect'
  /** Store for the tokens. Default: in memory. */
  readonly store?: McpKeyStore
  /**
   * Issuers of the only accepted authorization servers. Default: any server that the MCP server names and that names
   * itself in its answers (RFC 9207). Without such answers, its endpoints must share one origin, and `clientId` can't
   * be used.
   */
  readonly issuers?: readonly string[]
}
