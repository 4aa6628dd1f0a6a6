import { isSettled } from '../../conversation/pending.ts'
import type { ToolOutput } from '../../protocol/message.ts'
import type { CallState } from '../../protocol/state.ts'
import type { SettledStatus } from '../../protocol/tool.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { withNextStep } from './look-ahead.ts'
import type { RunContext } from './run-context.ts'

export interface Settlement {
  readonly call: CallState
  readonly status: SettledStatus
  readonly output: ToolOutput
  readonly note?: string
}

/** Commits the ends of calls in one transaction, as far as the run is open and they have none yet. */
export async function settle(
  { conversation, runId }: RunContext,
  settlements: readonly Settlement[],
): Promise<void> {
  if (settlements.length === 0) return
  await conversation.append((run) => {
    if (run?.runId !== runId || run.end !== null) return null
    const open = new Set(run.calls.flatMap((call) => (isSettled(call) ? [] : call.toolCallId)))
    const facts = settlements.filter(({ call }) => open.has(call.toolCallId)).map(settledFact)
    return facts.length === 0 ? null : withNextStep(conversation, facts)
  })
}

export function settledFact({ call, status, output, note }: Settlement): FactDraft {
  const { path } = call
  return { type: 'call-settled', path, status, output, ...(note !== undefined && { note }) }
}
