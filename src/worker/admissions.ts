import type { StartRun } from '../protocol/commands.ts'
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

/** Until what runs has ended. One that is stopped ends at once, but for a storage that is full. */
export async function untilIdle(seat: Seat, command: StartRun, asked: Asked): Promise<void> {
  const { signal } = asked.admission.stop
  const { patience } = seat.conversation
  if (command.ifBusy !== 'queue') {
    await Promise.race([seat.idle(signal), patience.waiting()])
    if (patience.reason !== null && seat.driver && !signal.aborted) {
      parkAdmission(command, asked, patience.reason)
      await seat.idle(signal)
      if (!signal.aborted) continueAdmission(asked)
    }
  }
  await seat.idle(signal)
}

/** The run, and its first step: one wait for the disk. */
export function firstFacts(message: StartRun['message'], limits: RunLimits): FactDraft[] {
  return [
    { type: 'run-started', message, limits },
    { type: 'step-started', step: 1, resumed: false },
  ]
}
