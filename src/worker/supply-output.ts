import { headId } from '../conversation/tree.ts'
import type { SupplyOutput } from '../protocol/commands.ts'
import type { UserMessage } from '../protocol/message.ts'
import type { RunLimits } from '../protocol/run.ts'
import { outputText } from '../providers/output-text.ts'
import { importedCalls, isSettled } from '../conversation/pending.ts'
import type { Identified } from '../protocol/fact.ts'
import type { Conversation } from './conversation.ts'
import { takenIn } from './run/settlement.ts'
import type { FactDraft } from './store/fact-draft.ts'

export interface Supplied {
  readonly settled: readonly FactDraft[]
  /** Limits of the run that continues from here. Null while other calls wait. */
  readonly goesOn: RunLimits | null
}

/** Facts for an output that the page supplies. Null if the call waits for no output. */
export function pendingOutput(
  conversation: Pick<Conversation, 'run' | 'limitsAfter' | 'state'>,
  { toolCallId, output, limits }: Pick<SupplyOutput, 'toolCallId' | 'output' | 'limits'>,
): Supplied | null {
  const { run, state } = conversation
  // Calls of imported messages may wait for outputs, too.
  const imported = importedCalls(state)
  const isThis = (call: { readonly toolCallId: string }): boolean => call.toolCallId === toolCallId
  const calls = run?.calls ?? []
  const call = calls.find(isThis)
  const own = call?.status === 'awaiting-output' ? run : null
  if (own === null && !imported.some(isThis)) return null
  const status =
    output.type === 'error' ? 'failed' : output.type === 'denied' ? 'denied' : 'succeeded'
  const isLast = imported.every(isThis) && calls.every((call) => isThis(call) || isSettled(call))
  return {
    // A call of an imported history belongs to no run.
    settled: [
      ...(own && call ? takenIn({ call, status, output }, headId(state)) : []),
      {
        type: 'call-settled',
        path: [toolCallId],
        status,
        output,
        runId: own?.runId ?? null,
      },
    ],
    goesOn: isLast ? (own ? conversation.limitsAfter(own, limits) : limits) : null,
  }
}

export function lateOutputMessage(
  { toolCallId, output }: SupplyOutput,
  id: string,
): Identified<UserMessage> {
  return {
    role: 'user',
    id,
    synthetic: true,
    parts: [
      {
        type: 'text',
        text: `Output of call ${toolCallId}, which no longer waited: ${outputText(output)}`,
      },
    ],
  }
}
