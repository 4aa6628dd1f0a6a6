import type { CallState } from '../../protocol/state.ts'

/** What a tool is to undo. In a store that devices share, others may have written the call, its input or its output. */
export function effectOf(
  runId: string,
  { toolCallId, toolName, input, output }: CallState,
): readonly unknown[] {
  return [runId, toolCallId, toolName, input, output]
}
