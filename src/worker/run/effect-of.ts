import type { CallState } from '../../protocol/state.ts'

/** Identifies the effect to undo. In a shared store, others may have written the call, its input or its output. */
export function effectOf(
  runId: string,
  { toolCallId, toolName, input, output }: CallState,
): readonly unknown[] {
  return [runId, toolCallId, toolName, input, output]
}
