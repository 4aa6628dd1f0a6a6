/** Something of a server that was left out or refused. Plain data. */
export interface McpDiagnostic {
  readonly type:
    | 'tool-left-out'
    | 'definition-changed'
    | 'description-cleaned'
    | 'list-failed'
    | 'name-clash'
    | 'input-refused'
    | 'stream-lost'
  /** For a developer. The server's words in it are shortened. */
  readonly message: string
  /** As the server has it. */
  readonly tool?: string
}
