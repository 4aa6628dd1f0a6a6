import { monotonicMs } from '../lib/monotonic-ms.ts'
import { sleep } from '../lib/sleep.ts'

export interface Heartbeat {
  ping(): Promise<unknown>
  /** False ends the watch. */
  isNeeded(): boolean
  readonly intervalMs: number
}

/**
 * Pings the worker as long as needed. Resolves to true if the worker hangs: no answer for 8/3 of the interval, during
 * which the page was never blocked or frozen.
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
    // The timer fired late: the page was busy or asleep, and the answer may still be queued.
    await sleep(0)
    if (!answered) ask()
    quiet = -1
  }
  return answered
}
