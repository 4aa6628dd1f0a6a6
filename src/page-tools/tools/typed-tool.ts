import type { JsonSchema } from '../../protocol/json.ts'
import type { ToolDefinitionOptions } from '../../client/define-tool.ts'
import type { InferInput } from '../../client/infer-schema.ts'
import type { Tool } from '../../client/tool.ts'

/** The types that `defineTool` gives. Its checks come when the tool is registered, with the page's own code. */
export function typedTool<
  const Name extends string,
  const Schema extends JsonSchema,
  Output = unknown,
>(tool: ToolDefinitionOptions<Name, Schema, Output>): Tool<Name, InferInput<Schema>, Output> {
  return tool
}
