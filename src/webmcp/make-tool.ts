import { takeUnloadNote } from '../lib/unload-note.ts'
import type { Reconciled, Tool } from '../client/tool.ts'
import { callPageTool } from './call-tool.ts'
import type { Consumable } from './model-context.ts'
import type { CheckedOptions } from './options.ts'
import type { PageTool } from './page-tool.ts'

export interface ToolParts {
  readonly name: string
  readonly window: unknown
  readonly tool: PageTool
  readonly context: Consumable
  readonly options: CheckedOptions
  /** Around each call. */
  during?<Result>(call: () => Promise<Result>): Promise<Result>
  available?(): boolean
}

/** A tool of the page as one of the agent. What it says of itself counts where the page is trusted. */
export function makeTool(parts: ToolParts): Tool {
  const { name, window, tool, context, options } = parts
  const { during = (call) => call(), available } = parts
  const { trusted, timeoutMs, maxResultCharacters } = options
  const { needsApproval = trusted && tool.readOnly ? undefined : true } = options
  return {
    name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(tool.title !== undefined && { title: tool.title }),
    annotations: {
      readOnly: trusted && tool.readOnly,
      // Believed of whoever says it: it asks for more care, not for less.
      destructive: tool.consequential,
      untrustedContent: !trusted || tool.untrustedContent,
    },
    remote: { source: sourceOf(tool), trusted },
    ...(needsApproval !== undefined && { needsApproval }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(available && { available }),
    execute: (input, { signal, idempotencyKey }) =>
      during(() =>
        callPageTool({ context, window, tool, input, signal, idempotencyKey, maxResultCharacters }),
      ),
    reconcile: (_input, { idempotencyKey }) => outcomeOfLeaving(idempotencyKey),
  }
}

function sourceOf({ isElsewhere }: PageTool): string {
  const origin = (globalThis as { readonly location?: Location }).location?.origin ?? 'this page'
  return isElsewhere ? `${origin} (another frame)` : origin
}

function outcomeOfLeaving(idempotencyKey: string): Reconciled {
  return takeUnloadNote(idempotencyKey) === undefined
    ? undefined
    : { happened: true, result: 'Done: the page went to another address. This is the new page.' }
}
