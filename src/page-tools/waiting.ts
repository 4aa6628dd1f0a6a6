import * as nativeDocument from './native-document.ts'
import { nextTurn } from '../lib/next-turn.ts'

/**
 * Rejects with the signal's reason when it is aborted. Resolves in a new task: browsers throttle chained
 * timers to one a minute in tabs that are hidden for long.
 */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await timer(ms, signal)
  await nextTurn()
}

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const handle = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    function stop(): void {
      clearTimeout(handle)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Resolves at the next animation frame. Hidden tabs have none: there, in the next task. */
export function nextFrame(view: Window): Promise<void> {
  if (nativeDocument.hidden(view.document)) return nextTurn()
  return new Promise((resolve) => {
    const timer = setTimeout(done, 50)
    const frame = view.requestAnimationFrame(done)
    function done(): void {
      clearTimeout(timer)
      view.cancelAnimationFrame(frame)
      resolve()
    }
  })
}
