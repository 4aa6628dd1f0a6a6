import { describeThrown } from '../../protocol/error.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { ToolOutput } from '../../protocol/message.ts'
import type { UndoOutcome, UndoTool } from '../../protocol/page-calls.ts'
import { truncate } from './format-output.ts'
import { loadPartWithRetry, retryWhenLeaving } from '../page-life/page-leaving.ts'
import type { PreparedTool } from '../tools/prepare-tool.ts'
import { untilAborted } from '../runs/until-aborted.ts'

const TIMEOUT_MS = 60_000

/** Calls a tool's `undo` for one of its calls. `life` aborts with the agent. Never rejects. */
export async function undoTool(
  entry: PreparedTool | undefined,
  call: UndoTool,
  life: AbortSignal,
): Promise<UndoOutcome> {
  if (!entry?.tool.undo || life.aborted) return { status: 'not-begun' }
  const { tool } = entry
  const { runId, conversationId, toolCallId, input, output, idempotencyKey } = call
  const signal = AbortSignal.any([life, AbortSignal.timeout(tool.timeoutMs ?? TIMEOUT_MS)])
  const context = { runId, conversationId, toolCallId, idempotencyKey, signal }
  try {
    const names =
      entry.isOddlyNamed && (await loadPartWithRetry(() => import('../tools/tool-names.ts')))
    const own = names ? names.inOwnNames(entry, input) : input
    await retryWhenLeaving(() =>
      untilAborted(async () => tool.undo?.(own, valueOf(output), context), signal),
    )
    return { status: 'done' }
  } catch (thrown) {
    if (signal.aborted) return { status: 'unknown' }
    return { status: 'failed', message: truncate(describeThrown(thrown)) }
  }
}

function valueOf(output: ToolOutput): JsonValue {
  return 'value' in output ? (output.value as JsonValue) : null
}
