import type { ToolContext } from '../../../src/client/tools/tool.ts'

/** The context of a tool call, for tests that call the function themselves. */
export function contextOf(parts: Partial<ToolContext> = {}): ToolContext {
  return {
    runId: 'run',
    conversationId: 'talk',
    toolCallId: 'call',
    signal: new AbortController().signal,
    idempotencyKey: 'key',
    fence: 1,
    progress: () => undefined,
    ...parts,
  }
}

/** Waits until it is so. The test's own limit ends it. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10))
}
