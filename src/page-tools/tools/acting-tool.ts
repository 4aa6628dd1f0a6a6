import type { ToolDefinitionOptions } from '../../client/define-tool.ts'
import { withUnloadNote } from '../../lib/unload-note.ts'
import { typedTool } from './typed-tool.ts'
import type { CommitsContext, DescribeContext, Tool, ToolContext } from '../../client/tool.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import type { ActionReport } from '../act/perform.ts'
import type { Target } from '../act/target.ts'
import type { Page } from '../options.ts'
import { maskedInputs, type Written } from './masked-inputs.ts'
import { commits, describeUses, mustAsk, type Use } from './asked.ts'
import { bindUses } from './bind-uses.ts'
import { readUnloadNote } from './unload-note.ts'

type Definition<Schema extends JsonSchema> = Omit<
  ToolDefinitionOptions<string, Schema, string>,
  'execute' | 'reconcile' | 'needsApproval' | 'commits' | 'secretsIn'
> & { readonly page: Page }
type Input<Schema extends JsonSchema> = Parameters<
  ToolDefinitionOptions<string, Schema, string>['execute']
>[0]

interface Action<Schema extends JsonSchema> {
  /** The elements that the call names, and what it does to them. */
  uses?(input: Input<Schema>): readonly Use[]
  /** What the call writes into elements. */
  writes?(input: Input<Schema>): readonly Written[]
  /** Whether a person is always to be asked about the call. Default: by what its `uses` are. */
  mustAsk?(input: Input<Schema>): boolean
  /** Whether the call commits the person to something. Default: by what its `uses` are. */
  commits?(input: Input<Schema>): boolean
  /**
   * `at`: the element of a target, where a person was asked about it. `mayCommit`: the call may do unasked what commits
   * the person to something.
   */
  act(
    input: Input<Schema>,
    context: ToolContext & { readonly mayCommit: boolean },
    at: (target: string) => Target,
  ): Promise<ActionReport>
}

/**
 * A tool that changes the page. It never runs beside another one, says what it is about to act on, acts on nothing
 * else than was approved, and finds out after a reload whether its action caused it.
 */
export function actingTool<const Schema extends JsonSchema>(
  { page, ...definition }: Definition<Schema>,
  { uses, writes, act, ...action }: Action<Schema>,
): Tool {
  /** Calls that are asked about when they commit the person to something, until they run. */
  const watched = new Set<string>()
  return typedTool<string, Schema, string>({
    ...(action.mustAsk && {
      needsApproval: (input: Input<Schema>) => action.mustAsk?.(input) || 'default',
    }),
    ...(uses && {
      needsApproval: (input: Input<Schema>) => mustAsk(page, uses(input)),
      describe: (input: Input<Schema>, call: DescribeContext) =>
        describeUses(page, uses(input), call),
    }),
    ...(writes && { secretsIn: (input: Input<Schema>) => maskedInputs(page, writes(input)) }),
    ...definition,
    annotations: { ...definition.annotations, untrustedContent: true },
    async commits(input: Input<Schema>, { toolCallId, tainted }: CommitsContext) {
      if (tainted) watched.add(toolCallId)
      return action.commits?.(input) ?? commits(page, uses?.(input) ?? [])
    },
    sequential: true,
    execute: (input: Input<Schema>, context: ToolContext) =>
      withUnloadNote(context.idempotencyKey, async () => {
        const mayCommit = !watched.delete(context.toolCallId)
        const allowed = { ...context, mayCommit }
        const at = await bindUses(page, uses?.(input) ?? [], allowed)
        return (await act(input, allowed, at)).text
      }),
    reconcile: (_input: Input<Schema>, { idempotencyKey }: { readonly idempotencyKey: string }) =>
      readUnloadNote(idempotencyKey),
  } as ToolDefinitionOptions<string, Schema, string>)
}
