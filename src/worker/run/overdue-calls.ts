import type { CallState, RunState } from '../../protocol/state.ts'
import type { Effects } from '../effects.ts'
import type { RunContext } from './run-context.ts'
import { settle } from './settle.ts'
import { overdue } from './tool-errors.ts'

/** Timers stand still while a computer sleeps, and don't follow a clock that is set: it is looked at again. */
const LOOK_MS = 60_000

/** Whether the call waits for an outcome no longer. `now`: milliseconds since 1970. */
export function isOverdue(call: CallState, now: number): boolean {
  return deadlineOf(call) <= now
}

/** Ends the calls whose outcome has not come in time; false when there are none. */
export async function settleOverdue(context: RunContext, run: RunState): Promise<boolean> {
  if (run.parked !== null) return false
  const now = context.effects.now()
  const late = run.calls.filter((call) => isOverdue(call, now))
  await settle(
    context,
    late.map((call) => ({ call, status: 'failed', output: overdue(deadlineOf(call)) })),
  )
  return late.length > 0
}

/** Resolves once a call is overdue, or to false when that comes to nothing, or the signal aborts. */
export async function untilOverdue(
  { now, sleep }: Pick<Effects, 'now' | 'sleep'>,
  { calls, parked }: RunState,
  signal: AbortSignal,
): Promise<boolean> {
  const deadline = Math.min(...calls.map(deadlineOf))
  if (deadline === Infinity || parked !== null) return false
  while (!signal.aborted) {
    const left = deadline - now()
    if (left <= 0) return true
    await sleep(Math.min(left, LOOK_MS), signal)
  }
  return false
}

/** Milliseconds since 1970. */
function deadlineOf({ status, suspended }: CallState): number {
  if (status !== 'suspended' || suspended === null || !('token' in suspended)) return Infinity
  return suspended.until ?? Infinity
}
