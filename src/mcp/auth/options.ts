/** A store of texts by key: `localStorage`, `sessionStorage`, or one of the app's own. */
export interface McpKeyStore {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
}

/** OAuth 2.1 as MCP has it: the code flow with PKCE, of a client that can keep no secret. */
export interface McpAuthOptions {
  /** A page of this origin that calls `finishMcpAuth()`. */
  readonly redirectUrl: string | URL
  /**
   * As the authorization server knows this app, or the https address of its client metadata document. Default: the app
   * registers itself.
   */
  readonly clientId?: string
  /** What a person is shown as who asks. Default: the page's host. */
  readonly clientName?: string
  /** Default: what the server asks for. */
  readonly scope?: string
  /** `'popup'` needs a press of a person right before. Default. `'redirect'` leaves the page: come back with `connectMcp` again. */
  readonly mode?: 'popup' | 'redirect'
  /** Where tokens are kept. Default: in memory. */
  readonly store?: McpKeyStore
  /**
   * The only authorization servers that are taken, by their issuer. Default: any that the server names, and that says in its
   * answers that they are its own (RFC 9207); one that doesn't must have its endpoints at one origin, and takes no `clientId`.
   */
  readonly issuers?: readonly string[]
}
