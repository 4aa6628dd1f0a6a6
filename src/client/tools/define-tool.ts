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
 * Checks a tool, and infers its input's type from `inputSchema`. Plain tools have `execute`. Composite tools have `run`
 * instead, which calls other tools of the agent. After a reload, `run` starts again, and finished calls return their
 * recorded results. Returns the tool, for `createAgent({ tools })` or `agent.registerTool()`. Throws `invalid-config`,
 * `schema-invalid`, `schema-unsupported`, or `duplicate-tool` if two parameters become equal for the model, such as
 * `a b` and `a_b`.
 *
 * @example
 * defineTool({
 *   name: 'buy_again',
 *   description: 'Adds a product to the cart and opens the checkout.',
 *   inputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
 *   run: async ({ sku }, context) => {
 *     await context.call('add_to_cart', { sku })
 *     return context.call('open_checkout')
 *   },
 * })
 */
export function defineTool<
  const Name extends string,
  const Schema extends JsonSchema | StandardSchema = JsonSchema,
  Output = unknown,
>(tool: CompositeToolOptions<Name, Schema, Output>): CompositeTool<Name, InferInput<Schema>, Output>
// TypeScript reports errors against the last overload, so that is the one for plain tools, the common case.
/**
 * Checks a tool, and infers its input's type from `inputSchema`. Returns the tool, for `createAgent({ tools })` or
 * `agent.registerTool()`. Throws `invalid-config`, `schema-invalid`, `schema-unsupported`, or `duplicate-tool` if two
 * parameters become equal for the model, such as `a b` and `a_b`.
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
