import type { JsonSchema } from '../../protocol/json.ts'
import type { ToolDefinitionOptions } from '../../client/define-tool.ts'
import type { InferInput } from '../../client/infer-schema.ts'
import type { Tool } from '../../client/tool.ts'

/**
 * Types a tool as `defineTool` does, but without checks. Registration checks it, with code that the page has already
 * loaded.
 */
export function typedTool<
  const Name extends string,
  const Schema extends JsonSchema,
  Output = unknown,
>(tool: ToolDefinitionOptions<Name, Schema, Output>): Tool<Name, InferInput<Schema>, Output> {
  return tool
}
