import type { SupplyOutput } from '../protocol/api.ts'
import type { JournalBody } from '../protocol/journal.ts'
import type { UserMessage } from '../protocol/message.ts'
import { outputText } from '../providers/output-text.ts'
import type { Conversation } from './conversation.ts'

/**
 * The facts of an output that the page supplies, and the run that they belong to: none for a call of an
 * imported history. Null when the call waits for no output.
 */
export function pendingOutput(
  { run, importedCalls }: Pick<Conversation, 'run' | 'importedCalls'>,
  { toolCallId, output }: Pick<SupplyOutput, 'toolCallId' | 'output'>,
): { readonly facts: readonly JournalBody[]; readonly runId: string | null } | null {
  const call = run?.calls.find((each) => each.toolCallId === toolCallId)
  const isOfRun = call?.status === 'awaiting-output'
  if (!isOfRun && !importedCalls.some((each) => each.toolCallId === toolCallId)) return null
  const status =
    output.type === 'error' ? 'failed' : output.type === 'denied' ? 'denied' : 'succeeded'
  return {
    facts: [{ type: 'call-settled', toolCallId, status, output }],
    runId: (isOfRun && run?.runId) || null,
  }
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
