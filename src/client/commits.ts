import type { CallContext } from '../protocol/questions.ts'
import { whileStaying } from './page-leaving.ts'
import type { PreparedTool } from './prepare-tool.ts'

/** What the tool's `commits` says of the call. What throws, or doesn't say, counts as yes. */
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
