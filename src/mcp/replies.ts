import { monotonicMs } from '../lib/monotonic-ms.ts'

/** Most replies that wait for earlier ones. A server that causes more only keeps the page busy. */
const MOST_WAITING = 16
/** Replies that may be sent at once; afterwards, one per gap. A healthy server asks only now and then. Milliseconds. */
const BURST = 32
const GAP_MS = 500

/** Posts replies one after the other. Drops surplus replies, and ignores failures. */
export function createReplies<Reply>(
  post: (reply: Reply) => Promise<void>,
): (reply: Reply) => void {
  const waiting: Reply[] = []
  let isPosting = false
  let [credit, countedAt] = [BURST, monotonicMs()]
  const postAll = async (): Promise<void> => {
    isPosting = true
    for (let reply = waiting.shift(); reply !== undefined; reply = waiting.shift())
      await post(reply).catch(() => undefined)
    isPosting = false
  }
  return (reply) => {
    const now = monotonicMs()
    credit = Math.min(credit + (now - countedAt) / GAP_MS, BURST)
    countedAt = now
    if (credit < 1 || waiting.length >= MOST_WAITING) return
    credit -= 1
    waiting.push(reply)
    if (!isPosting) void postAll()
  }
}
