import type { CallContext } from '../protocol/questions.ts'
import { whileStaying } from './page-leaving.ts'
import type { PreparedTool } from './prepare-tool.ts'

/** Calls the tool's `commits`. Throwing, or returning anything but false, counts as true. */
export async function commits(
  entry: PreparedTool | undefined,
  { runId, conversationId, toolCallId, input }: CallContext,
): Promise<boolean> {
  if (!entry?.tool.commits) return true
  const { tool } = entry
  const context = { runId, conversationId, toolCallId, tainted: true }
  try {
    const says: unknown = await whileStaying(async () => tool.commits?.(input, context))
    return says !== false
  } catch {
    return true
  }
}
