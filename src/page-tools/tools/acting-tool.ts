import type { ToolDefinitionOptions } from '../../client/define-tool.ts'
import { withUnloadNote } from '../../lib/unload-note.ts'
import { typedTool } from './typed-tool.ts'
import type { DescribeContext, Tool, ToolContext } from '../../client/tool.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import type { ActionReport } from '../act/perform.ts'
import type { Target } from '../act/target.ts'
import type { Page } from '../options.ts'
import { bindUses, describeUses, mustAsk, type Use } from './asked.ts'
import { readUnloadNote } from './unload-note.ts'

type Definition<Schema extends JsonSchema> = Omit<
  ToolDefinitionOptions<string, Schema, string>,
  'execute' | 'reconcile' | 'needsApproval'
> & { readonly page: Page }
type Input<Schema extends JsonSchema> = Parameters<
  ToolDefinitionOptions<string, Schema, string>['execute']
>[0]

interface Action<Schema extends JsonSchema> {
  /** The elements that the call names, and what it does to them. */
  uses?(input: Input<Schema>): readonly Use[]
  /** `at`: the element of a target, where a person was asked about it. */
  act(
    input: Input<Schema>,
    context: ToolContext,
    at: (target: string) => Target,
  ): Promise<ActionReport>
}

/**
 * A tool that changes the page. It never runs beside another one, says what it is about to act on, acts on nothing
 * else than was approved, and finds out after a reload whether its action caused it.
 */
export function actingTool<const Schema extends JsonSchema>(
  { page, ...definition }: Definition<Schema>,
  { uses, act }: Action<Schema>,
): Tool {
  return typedTool<string, Schema, string>({
    ...(uses && {
      needsApproval: (input: Input<Schema>) => mustAsk(page, uses(input)),
      describe: (input: Input<Schema>, call: DescribeContext) =>
        describeUses(page, uses(input), call),
    }),
    ...definition,
    sequential: true,
    execute: (input: Input<Schema>, context: ToolContext) =>
      withUnloadNote(context.idempotencyKey, async () => {
        const at = await bindUses(page, uses?.(input) ?? [], context)
        return (await act(input, context, at)).text
      }),
    reconcile: (_input: Input<Schema>, { idempotencyKey }: { readonly idempotencyKey: string }) =>
      readUnloadNote(idempotencyKey),
  } as ToolDefinitionOptions<string, Schema, string>)
}
