import { NOTHING_LIVE } from '../../conversation/live.ts'
import { isSettled } from '../../conversation/pending.ts'
import type { Live } from '../../protocol/live.ts'
import type { RunState } from '../../protocol/state.ts'
import type { ShownDelta } from './check-live.ts'

/**
 * Whether a delta from another tab is still pending. Facts are read from the store, deltas arrive by messages, so the
 * store may be ahead. Deltas that are stored already, or belong to no open run, are not shown.
 */
export function isStillLive(delta: ShownDelta, run: RunState | null): boolean {
  if (run === null || run.end !== null || run.runId !== delta.runId) return false
  if ('step' in delta) return delta.step > run.steps
  return delta.type !== 'tool-progress' || isUnsettled(run, delta.path.at(-1) ?? '')
}

/** Keeps only the pending deltas of another tab that are not stored yet. */
export function stillLive(live: Live, run: RunState | null): Live {
  if (run === null || run.end !== null) return NOTHING_LIVE
  const { step, retry, progress, waits } = live
  const isOpen = step?.runId === run.runId && step.step > run.steps
  return {
    ...NOTHING_LIVE,
    ownership: 'other-tab',
    ...(isOpen && { step, retry }),
    progress: Object.fromEntries(Object.entries(progress).filter(([id]) => isUnsettled(run, id))),
    waits: waits?.runId === run.runId ? waits : null,
  }
}

function isUnsettled({ calls }: RunState, toolCallId: string): boolean {
  return calls.some((call) => call.toolCallId === toolCallId && !isSettled(call))
}
