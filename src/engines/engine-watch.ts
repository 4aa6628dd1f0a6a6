import type { EngineLine } from '../protocol/engine.ts'
import { onLifeLockFree } from '../lib/life-lock.ts'

export interface PingTiming {
  readonly intervalMs: number
  /** Unanswered pings that mean death. */
  readonly limit: number
}

/** An engine may compute for a while without reading its messages. */
export const PING_TIMING: PingTiming = { intervalMs: 10_000, limit: 6 }

export interface EngineWatch {
  /** Something was received from the engine. */
  received(): void
  /** Whether an answer is expected: the engine is pinged only then. */
  expects(answer: boolean): void
  stop(): void
}

/** Calls back once when the engine at the other end of a line is dead. */
export function watchEngine(
  { port, instance, watch }: EngineLine,
  { ping, lost, timing }: { ping: () => void; lost: () => void; timing: PingTiming },
): EngineWatch {
  const stopped = new AbortController()
  // Pings are counted, not timed: a tab that was frozen must not mistake its own sleep for a death.
  let unanswered = 0
  let timer: ReturnType<typeof setInterval> | undefined
  const end = (): void => {
    if (!stopped.signal.aborted) lost()
  }
  if (watch === 'lock') onLifeLockFree(instance, end, stopped.signal)
  // Where browsers fire it, this is the earliest sign.
  port.addEventListener('close', end, { signal: stopped.signal })

  function tick(): void {
    if (unanswered >= timing.limit) return end()
    unanswered += 1
    ping()
  }

  function rest(): void {
    clearInterval(timer)
    timer = undefined
    unanswered = 0
  }

  return {
    received() {
      unanswered = 0
    },
    expects(answer) {
      if (!answer) rest()
      else if (watch === 'ping') timer ??= setInterval(tick, timing.intervalMs)
    },
    stop() {
      stopped.abort()
      rest()
    },
  }
}
