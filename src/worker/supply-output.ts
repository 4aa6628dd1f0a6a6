import type { SupplyOutput } from '../protocol/api.ts'
import type { JournalBody } from '../protocol/journal.ts'
import type { UserMessage } from '../protocol/message.ts'
import { outputText } from '../providers/output-text.ts'
import type { RunState } from './state.ts'

/** The facts of an output that the page supplies; null when the call waits for none. */
export function pendingOutput(
  run: RunState | null,
  { toolCallId, output }: Pick<SupplyOutput, 'toolCallId' | 'output'>,
): JournalBody[] | null {
  const call = run?.calls.find((each) => each.toolCallId === toolCallId)
  if (call?.status !== 'awaiting-output') return null
  const status =
    output.type === 'error' ? 'failed' : output.type === 'denied' ? 'denied' : 'succeeded'
  return [{ type: 'call-settled', toolCallId, status, output }]
}

export function lateOutputMessage({ toolCallId, output }: SupplyOutput): UserMessage {
  return {
    role: 'user',
    id: `${toolCallId}:late`,
    synthetic: true,
    parts: [
      {
        type: 'text',
        text: `Output of call ${toolCallId}, which no longer waited: ${outputText(output)}`,
      },
    ],
  }
}
