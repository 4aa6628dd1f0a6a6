import { monotonicMs } from '../lib/monotonic-ms.ts'
import { sleep } from '../lib/sleep.ts'

export interface Heartbeat {
  ping(): Promise<unknown>
  /** False ends the watch. */
  isNeeded(): boolean
  readonly intervalMs: number
}

/**
 * Pings as long as it is needed. Resolves to true when the worker hangs: no answer for 8/3 of the
 * interval, of which the page itself was blocked or frozen at no time.
 */
export async function watchHeartbeat(options: Heartbeat): Promise<boolean> {
  const { intervalMs, isNeeded } = options
  for (;;) {
    await sleep(intervalMs)
    if (!isNeeded()) return false
    if (!(await isAlive(options))) return isNeeded()
  }
}

async function isAlive({ ping, intervalMs }: Heartbeat): Promise<boolean> {
  const slice = intervalMs / 3
  let answered = false
  const ask = (): void => {
    const note = (): void => void (answered = true)
    ping().then(note, note)
  }
  ask()
  for (let quiet = 0; !answered && quiet < 8; quiet++) {
    const due = monotonicMs() + slice
    await sleep(slice)
    if (monotonicMs() - due < slice) continue
    // This timer came late: the page was busy or asleep, and the answer may lie in its queue.
    await sleep(0)
    if (!answered) ask()
    quiet = -1
  }
  return answered
}
