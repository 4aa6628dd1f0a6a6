import { monotonicMs } from '../lib/monotonic-ms.ts'
import { sleepUnlessAborted } from '../lib/sleep.ts'
import { describeThrown } from '../protocol/error.ts'
import type { Listener } from './line.ts'

/** Shortest and longest pause between attempts. It grows with each failure. Milliseconds. */
const FIRST_WAIT = 1000
const LONGEST_WAIT = 60_000
/** A stream that ends after this time is no failure: servers and proxies end idle ones. Milliseconds. */
const LONG_ENOUGH = 10_000
const MOST_FAILURES = 8

/**
 * Keeps a stream of changes open until the signal aborts, but only in visible tabs. On HTTP/1.1 all tabs of a
 * browser share six connections to a server. `isNeeded` keeps it open in hidden tabs, too. `open` resolves when
 * the stream ends: with true it is opened again; false means that the server has no stream. Changes may be missed
 * while none is open, so each new stream counts as a change of the tools.
 */
export function keepListening(
  signal: AbortSignal,
  listener: Listener & { readonly isNeeded?: boolean },
  open: (signal: AbortSignal, opened: () => void) => Promise<boolean>,
): void {
  const page = listener.isNeeded ? undefined : globalThis.document
  let turn = new AbortController()
  page?.addEventListener('visibilitychange', () => turn.abort(), { signal })
  void (async () => {
    let failures = 0
    let why = 'it ends'
    while (!signal.aborted && failures < MOST_FAILURES) {
      turn = new AbortController()
      const within = AbortSignal.any([signal, turn.signal])
      if (page?.hidden) {
        await sleepUnlessAborted(LONGEST_WAIT, within)
        continue
      }
      let openedAt: number | undefined
      try {
        const goesOn = await open(within, () => {
          if (openedAt === undefined) listener.changed('tools')
          openedAt ??= monotonicMs()
        })
        if (!goesOn) return
      } catch (thrown) {
        why = describeThrown(thrown)
      }
      if (turn.signal.aborted) continue
      failures =
        openedAt !== undefined && monotonicMs() - openedAt >= LONG_ENOUGH ? 0 : failures + 1
      await sleepUnlessAborted(Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT), signal)
    }
    if (!signal.aborted) listener.lost(why)
  })()
}
