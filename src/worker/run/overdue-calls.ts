import type { CallState, RunState } from '../../protocol/state.ts'
import type { Effects } from '../effects.ts'
import type { RunContext } from './run-context.ts'
import { settle } from './settle.ts'
import { overdue } from './tool-errors.ts'

/** Longest sleep between two looks at the clock: timers pause while a computer sleeps, and ignore clock changes. */
const LOOK_MS = 60_000

/** Whether the deadline for the call's outcome has passed. `now`: milliseconds since 1970. */
export function isOverdue(call: CallState, now: number): boolean {
  return deadlineOf(call) <= now
}

/** Ends the calls whose deadline has passed. Returns false if there are none. */
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

/** Resolves to true once a call is overdue, or to false if no call has a deadline or the signal aborts. */
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

/** Deadline for the call's outcome, in milliseconds since 1970. `Infinity`: none. */
function deadlineOf({ status, suspended }: CallState): number {
  if (status !== 'suspended' || suspended === null || !('token' in suspended)) return Infinity
  return suspended.until ?? Infinity
}
