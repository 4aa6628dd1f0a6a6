import type { CallState, RunState } from '../protocol/state.ts'
import { isSettled } from './pending.ts'

/** The calls that this call makes directly. */
export function nestedIn(
  calls: readonly CallState[],
  { toolCallId, path }: Pick<CallState, 'toolCallId' | 'path'>,
): readonly CallState[] {
  return calls.filter(
    (call) => call.path.length === path.length + 1 && call.path.at(-2) === toolCallId,
  )
}

/** The calls that the model makes, without nested ones. */
export function topLevelCalls(calls: readonly CallState[]): readonly CallState[] {
  return calls.some(({ path }) => path.length > 1)
    ? calls.filter(({ path }) => path.length === 1)
    : calls
}

/**
 * Whether the call can't continue before an answer arrives. A suspended composite call waits while all its open nested
 * calls wait, and none has ended since the suspension.
 */
export function isCallWaiting(call: CallState, calls: readonly CallState[]): boolean {
  const { status, suspended, ended } = call
  if (status.startsWith('awaiting')) return true
  if (suspended === null) return false
  if ('token' in suspended) return true
  const open = nestedIn(calls, call).filter((nested) => !isSettled(nested))
  return (
    ended.length <= suspended.seen &&
    open.length > 0 &&
    open.every((nested) => isCallWaiting(nested, calls))
  )
}

/** Whether the run is paused, or waits for an answer or for child runs. */
export function isRunWaiting({ end, paused, calls }: RunState): boolean {
  if (end !== null || paused !== null) return end === null
  const next = calls.find((call) => !isSettled(call))
  return next !== undefined && isCallWaiting(next, calls)
}

/** Whether the call waits for a child run that it started. */
export function waitsForChild({ status, child }: CallState): boolean {
  return status === 'suspended' && child !== null
}
