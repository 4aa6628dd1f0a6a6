import type { JsonSchema } from '../../protocol/json.ts'
import type { InferInput } from './infer-schema.ts'
import { prepareTool } from './prepare-tool.ts'
import type { StandardSchema } from './standard-schema.ts'
import type { CompositeContext, CompositeTool, Tool, ToolBase } from './tool.ts'

/** Options with types from the schema and from what `execute`, `run` or `toModelOutput` returns. */
interface InferredOptions<Schema extends JsonSchema | StandardSchema, Output, Shown> extends Pick<
  ToolBase<string, InferInput<Schema>, Output, Shown>,
  'toModelOutput' | 'undo'
> {
  readonly inputSchema?: Schema
}

/** Like `Tool`, with inferred types. */
export type ToolDefinitionOptions<
  Name extends string,
  Schema extends JsonSchema | StandardSchema,
  Output,
  Shown = Output,
> = Omit<Tool<Name, InferInput<Schema>, Output>, keyof InferredOptions<Schema, Output, Shown>> &
  InferredOptions<Schema, Output, Shown> & { readonly run?: never }

/** Like `CompositeTool`, with inferred types. `Composite` is inferred only if there is a `run`. */
export type CompositeToolOptions<
  Name extends string,
  Schema extends JsonSchema | StandardSchema,
  Output,
  Shown = Output,
  Composite = never,
> = Omit<
  CompositeTool<Name, InferInput<Schema>, Output>,
  keyof InferredOptions<Schema, Output, Shown> | 'run'
> &
  InferredOptions<Schema, Output, Shown> & {
    readonly execute?: never
    run(input: InferInput<Schema>, context: CompositeContext): Output | Promise<Output> | Composite
  }

/** Options of a tool of either kind. */
export type AnyToolOptions<
  Name extends string,
  Schema extends JsonSchema | StandardSchema,
  Output,
  Shown = Output,
  Composite = never,
> =
  | ToolDefinitionOptions<Name, Schema, Output, Shown>
  | CompositeToolOptions<Name, Schema, Output, Shown, Composite>

/**
 * Checks a tool, and infers its input's type from `inputSchema`. Plain tools have `execute`. Composite tools have `run`
 * instead, which calls other tools of the agent. After a reload, `run` starts again, and finished calls return their
 * recorded results. Returns the tool, for `createAgent({ tools })` or `agent.registerTool()`. Throws `invalid-config`,
 * `schema-invalid`, `schema-unsupported`, or `duplicate-tool` if two parameters become equal for the model, such as
 * `a b` and `a_b`.
 *
 * @example
 * defineTool({
 *   name: 'add_to_cart',
 *   description: 'Adds a product to the cart.',
 *   inputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
 *   execute: ({ sku }) => cart.add(sku),
 * })
 *
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
  Shown = Output,
  Composite = never,
>(
  tool: AnyToolOptions<Name, Schema, Output, Shown, Composite>,
): [Composite] extends [never]
  ? Tool<Name, InferInput<Schema>, Output>
  : CompositeTool<Name, InferInput<Schema>, Output>
export function defineTool(tool: Tool | CompositeTool): Tool | CompositeTool {
  prepareTool(tool)
  return tool
}
