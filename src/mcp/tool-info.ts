import type { JsonSchema } from '../protocol/json.ts'

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
