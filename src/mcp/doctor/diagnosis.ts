export interface McpProblem {
  readonly code:
    | 'unreachable'
    | 'cors-origin'
    | 'cors-header'
    | 'cors-expose'
    | 'token-needed'
    | 'no-metadata'
    | 'old-transport'
    | 'wrong-path'
    | 'server-error'
  /** The response header that is missing or incomplete. */
  readonly header?: string
  /** The cause, and where to fix it, for developers. */
  readonly message: string
}

export interface McpDiagnosis {
  /** The server's protocol revision, if one was found. */
  readonly protocolVersion?: string
  /** The problems found. If empty, a page can connect. */
  readonly problems: readonly McpProblem[]
}
