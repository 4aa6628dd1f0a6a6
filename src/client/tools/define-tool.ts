import type { JsonSchema } from '../../protocol/json.ts'
import type { InferInput } from './infer-schema.ts'
import { prepareTool } from './prepare-tool.ts'
import type { StandardSchema } from './standard-schema.ts'
import type { CompositeTool, Tool } from './tool.ts'

/** Like `Tool`, with the input's type read from the schema. */
export type ToolDefinitionOptions<
  Name extends string,
  Schema extends JsonSchema | StandardSchema,
  Output,
> = Omit<Tool<Name, InferInput<Schema>, Output>, 'inputSchema'> & { readonly inputSchema?: Schema }

/** Like `CompositeTool`, with the input's type read from the schema. */
export type CompositeToolOptions<
  Name extends string,
  Schema extends JsonSchema | StandardSchema,
  Output,
> = Omit<CompositeTool<Name, InferInput<Schema>, Output>, 'inputSchema'> & {
  readonly inputSchema?: Schema
}

/**
 * Checks a composite tool, and infers its input's type from `inputSchema`. A composite tool calls other tools: it has
 * `run` in place of `execute`. Returns the tool and throws as for a plain one.
 */
export function defineTool<
  const Name extends string,
  const Schema extends JsonSchema | StandardSchema = JsonSchema,
  Output = unknown,
>(tool: CompositeToolOptions<Name, Schema, Output>): CompositeTool<Name, InferInput<Schema>, Output>
// Compilers report errors against the last overload, so plain tools, the common case, come last.
/**
 * Checks a tool, and infers its input's type from `inputSchema`. Returns the tool, for `createAgent({ tools })` or
 * `agent.registerTool()`. Throws `invalid-config`, `schema-invalid`, `schema-unsupported`, or `duplicate-tool` for
 * parameters whose names the model can't tell apart.
 *
 * @example
 * defineTool({
 *   name: 'add_to_cart',
 *   description: 'Adds a product to the cart.',
 *   inputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
 *   execute: ({ sku }) => cart.add(sku),
 * })
 */
export function defineTool<
  const Name extends string,
  const Schema extends JsonSchema | StandardSchema = JsonSchema,
  Output = unknown,
>(tool: ToolDefinitionOptions<Name, Schema, Output>): Tool<Name, InferInput<Schema>, Output>
export function defineTool(tool: Tool | CompositeTool): Tool | CompositeTool {
  prepareTool(tool)
  return tool
}
