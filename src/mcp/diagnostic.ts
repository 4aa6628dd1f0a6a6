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
