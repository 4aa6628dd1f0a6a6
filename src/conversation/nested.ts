import type { CallState, RunState } from '../protocol/state.ts'
import { isSettled } from './pending.ts'

/** The calls that a call makes itself. */
export function nestedIn(
  calls: readonly CallState[],
  { toolCallId, path }: Pick<CallState, 'toolCallId' | 'path'>,
): readonly CallState[] {
  return calls.filter(
    (call) => call.path.length === path.length + 1 && call.path.at(-2) === toolCallId,
  )
}

/** The calls that a model makes. */
export function ownCalls(calls: readonly CallState[]): readonly CallState[] {
  return calls.some(({ path }) => path.length > 1)
    ? calls.filter(({ path }) => path.length === 1)
    : calls
}

/**
 * Whether somebody has to say something before the call can go on. A suspended function waits as long as all
 * of its open calls do, and nothing ended that it didn't know.
 */
export function waits(call: CallState, calls: readonly CallState[]): boolean {
  const { status, suspended, ended } = call
  if (status.startsWith('awaiting')) return true
  if (suspended === null) return false
  if ('token' in suspended) return true
  const open = nestedIn(calls, call).filter((nested) => !isSettled(nested))
  return (
    ended.length <= suspended.seen &&
    open.length > 0 &&
    open.every((nested) => waits(nested, calls))
  )
}

/** The run does nothing until somebody says something, or until what works for its calls has ended. */
export function rests({ end, parked, calls }: RunState): boolean {
  if (end !== null || parked !== null) return end === null
  const next = calls.find((call) => !isSettled(call))
  return next !== undefined && waits(next, calls)
}

/** A call waits for the run of another agent that it began. */
export function waitsForChild({ status, child }: CallState): boolean {
  return status === 'suspended' && child !== null
}
