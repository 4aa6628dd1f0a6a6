import type { ToolDefinitionOptions } from '../../client/define-tool.ts'
import { typedTool } from './typed-tool.ts'
import type { Tool, ToolContext } from '../../client/tool.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import type { ActionReport } from '../act/perform.ts'
import { readUnloadNote, withUnloadNote } from './unload-note.ts'

type Definition<Schema extends JsonSchema> = Omit<
  ToolDefinitionOptions<string, Schema, string>,
  'execute' | 'reconcile'
>
type Input<Schema extends JsonSchema> = Parameters<
  ToolDefinitionOptions<string, Schema, string>['execute']
>[0]

/**
 * A tool that changes the page. It never runs beside another one, and finds out after a reload whether its
 * action caused it.
 */
export function actingTool<const Schema extends JsonSchema>(
  definition: Definition<Schema>,
  act: (input: Input<Schema>, context: ToolContext) => Promise<ActionReport>,
): Tool {
  return typedTool<string, Schema, string>({
    ...definition,
    sequential: true,
    execute: (input: Input<Schema>, context: ToolContext) =>
      withUnloadNote(context, async () => (await act(input, context)).text),
    reconcile: (_input: Input<Schema>, { idempotencyKey }: { readonly idempotencyKey: string }) =>
      readUnloadNote(idempotencyKey),
  } as ToolDefinitionOptions<string, Schema, string>)
}
