import { monotonicMs } from '../lib/monotonic-ms.ts'

/** Answers to a server that wait for those before them. It asks for more than that to keep the page busy. */
const MOST_WAITING = 16
/** So many at once, and then one in each gap: a server that is well asks now and then. Milliseconds. */
const BURST = 32
const GAP_MS = 500

/** Posts one reply after the other; those that are too many are left out, and failures are the server's loss. */
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
