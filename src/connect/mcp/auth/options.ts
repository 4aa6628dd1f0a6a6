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
