import type { JsonSchema } from '../protocol/json.ts'

/** MCP's hints of a tool, as the server says them. Absent: the defaults of MCP hold. */
export interface McpHints {
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** A tool as a server describes it, checked, without hidden characters. */
export interface McpToolInfo {
  /** As the server has it. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly hints: McpHints
}

/** A definition that is another one than when the tool was first seen. */
export interface DefinitionChange {
  /** As the server has it. */
  readonly name: string
  readonly before: McpToolInfo
  readonly after: McpToolInfo
}
