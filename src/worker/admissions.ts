import type { StartRun } from '../protocol/commands.ts'
import type { ParkReason } from '../protocol/run.ts'
import type { Admission, ActiveConversation } from './active-conversation.ts'
import type { Effects } from './effects.ts'
import { isClaimedElsewhere, isElsewhere } from './ownership/elsewhere.ts'
import { withStop } from './ownership/with-stop.ts'
import type { Stream } from './stream.ts'

/** Pause before looking again. An owner that vanished before its run began reports no change. Milliseconds. */
const LOOK_AGAIN_MS = 10_000

/** A requested run on its way into the store. */
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

export function stopAdmissions(active: ActiveConversation, reason: string): void {
  for (const { stop } of active.admissions.values()) stop.abort(reason)
}

/** Waits until the current run has ended. A stopped run ends at once, unless the storage is full. */
export async function untilIdle(
  active: ActiveConversation,
  command: StartRun,
  asked: Asked,
): Promise<void> {
  const { signal } = asked.admission.stop
  const { storageRetry } = active.conversation
  if (command.ifBusy !== 'queue') {
    await Promise.race([active.idle(signal), storageRetry.waiting()])
    if (storageRetry.reason !== null && active.driver && !signal.aborted) {
      parkAdmission(command, asked, storageRetry.reason)
      await active.idle(signal)
      if (!signal.aborted) continueAdmission(asked)
    }
  }
  await active.idle(signal)
}

/** Whether a queued run waits for the run of another device, even if that device was only just quicker. */
export async function comesLater(
  { conversation, ownership }: ActiveConversation,
  { ifBusy }: StartRun,
  thrown: unknown,
): Promise<boolean> {
  const mayCome = ifBusy === 'queue' && isElsewhere(thrown)
  return mayCome && isClaimedElsewhere(conversation, ownership)
}

export async function untilChanged(
  changed: Promise<void>,
  signal: AbortSignal,
  effects: Pick<Effects, 'sleep'>,
): Promise<void> {
  await withStop([signal], (stop) =>
    Promise.race([changed, effects.sleep(LOOK_AGAIN_MS, stop.signal)]),
  )
}
