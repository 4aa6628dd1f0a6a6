import type { StartRun } from '../protocol/api.ts'
import type { ParkReason, RunLimits } from '../protocol/run.ts'
import type { Fact } from './conversation.ts'
import type { RunEvents } from './run-events.ts'
import type { Admission, Seat } from './seat.ts'

/** A run that was asked for, on its way into the journal. */
export interface Asked {
  readonly events: RunEvents
  readonly admission: Admission
}

export function parkAdmission(
  { message }: StartRun,
  { events, admission }: Asked,
  reason: ParkReason,
): void {
  admission.isParked = true
  events.push({ type: 'run-parked', reason, ...(message && { message }) })
  events.flush()
}

export function continueAdmission({ events, admission }: Asked): void {
  admission.isParked = false
  events.push({ type: 'run-continued' })
}

export function stopAdmissions(seat: Seat, reason: string): void {
  for (const { stop } of seat.admissions.values()) stop.abort(reason)
}

/** The run, and its first step: one wait for the disk. */
export function firstFacts(message: StartRun['message'], limits: RunLimits): Fact[] {
  return [
    { type: 'run-started', message, limits },
    { type: 'step-started', step: 1, resumed: false },
  ]
}
