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
  /** The header of the server's answer that is missing or lacks something. */
  readonly header?: string
  /** For a developer: what is wrong, and where to mend it. */
  readonly message: string
}

export interface McpDiagnosis {
  /** The revision that the server speaks; absent: none was found. */
  readonly protocolVersion?: string
  /** Empty: a page can connect. */
  readonly problems: readonly McpProblem[]
}
