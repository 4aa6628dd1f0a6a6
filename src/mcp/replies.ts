/** Answers to a server that wait for those before them. It asks for more than that to keep the page busy. */
const MOST_WAITING = 16

/** Posts one reply after the other; those that are too many are left out, and failures are the server's loss. */
export function createReplies<Reply>(
  post: (reply: Reply) => Promise<void>,
): (reply: Reply) => void {
  const waiting: Reply[] = []
  let isPosting = false
  const postAll = async (): Promise<void> => {
    isPosting = true
    for (let reply = waiting.shift(); reply !== undefined; reply = waiting.shift())
      await post(reply).catch(() => undefined)
    isPosting = false
  }
  return (reply) => {
    if (waiting.length >= MOST_WAITING) return
    waiting.push(reply)
    if (!isPosting) void postAll()
  }
}
