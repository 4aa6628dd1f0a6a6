import type { CallState } from '../../../protocol/state.ts'
import type { RunContext } from '../run-context.ts'

/** Warns the developer, once per run, about a tool that needs approval only because it has no annotations. */
export function warnOfSilence(context: RunContext, { toolName }: CallState): void {
  const { conversation, runId, silent, stream, tools } = context
  if (tools.get(toolName)?.whileTainted !== 'unknown' || silent.has(toolName)) return
  silent.add(toolName)
  const { steps = 1, failedAttempts = 0 } = conversation.run ?? {}
  stream.delta({
    type: 'warning',
    code: 'tool-effect-unknown',
    message: `Calls of ${toolName} need approval after untrusted content was read: the tool has no annotations. Add reversible, openWorld or readOnly.`,
    runId,
    step: steps,
    attempt: failedAttempts + 1,
  })
}
