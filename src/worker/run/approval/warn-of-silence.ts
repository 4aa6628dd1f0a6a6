import type { CallState } from '../../../protocol/state.ts'
import type { RunContext } from '../run-context.ts'

/** For the app's author: a person is asked about a tool only because it doesn't say what it does. Once for each tool. */
export function warnOfSilence(context: RunContext, { toolName }: CallState): void {
  const { conversation, runId, silent, stream, tools } = context
  if (tools.get(toolName)?.whileTainted !== 'once' || silent.has(toolName)) return
  silent.add(toolName)
  const { steps = 1, failedAttempts = 0 } = conversation.run ?? {}
  stream.delta({
    type: 'warning',
    code: 'tool-effect-unknown',
    message: `A person is asked about ${toolName}, since words of others were read and the tool doesn't say what it does. Add annotations: { reversible: true } if a person can undo it in the app, { openWorld: true } if its effect leaves the app, { readOnly: true } if it has none.`,
    runId,
    step: steps,
    attempt: failedAttempts + 1,
  })
}
