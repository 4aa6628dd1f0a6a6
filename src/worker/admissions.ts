import type { StartRun } from '../protocol/api.ts'
import type { ParkReason, RunLimits } from '../protocol/run.ts'
import type { FactDraft } from './fact-draft.ts'
import type { Admission, Seat } from './seat.ts'
import type { Stream } from './stream.ts'

/** A run that was asked for, on its way into the store. */
export interface Asked {
  readonly stream: Stream
  readonly admission: Admission
}

export function parkAdmission(
  { runId, message }: StartRun,
  { stream, admission }: Asked,
  reason: ParkReason,
): void {
  admission.isParked = true
  stream.delta({ type: 'storage-waits', runId, reason, ...(message && { message }) })
  stream.flush()
}

export function continueAdmission({ stream, admission }: Asked): void {
  admission.isParked = false
  stream.delta({ type: 'storage-takes', runId: admission.runId })
}

export function stopAdmissions(seat: Seat, reason: string): void {
  for (const { stop } of seat.admissions.values()) stop.abort(reason)
}

/** The run, and its first step: one wait for the disk. */
export function firstFacts(message: StartRun['message'], limits: RunLimits): FactDraft[] {
  return [
    { type: 'run-started', message, limits },
    { type: 'step-started', step: 1, resumed: false },
  ]
}
