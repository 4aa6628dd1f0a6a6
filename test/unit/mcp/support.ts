import type { ToolContext } from '../../../src/client/tool.ts'

/** What a tool's function gets, for tests that call it themselves. */
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
