/** A queue with one reader. */
export interface Mailbox<T> {
  post(message: T): void
  /** Takes the oldest message, or waits for one. Rejects with the reason of `end` once no message is left. */
  next(): Promise<T>
  /** Ends the queue: no more messages follow. Only the first reason counts. */
  end(reason: Error): void
}

export function createMailbox<T>(): Mailbox<T> {
  const messages: T[] = []
  let endReason: Error | undefined
  let wake = (): void => undefined
  return {
    post(message) {
      messages.push(message)
      wake()
    },
    async next() {
      while (messages.length === 0) {
        if (endReason) throw endReason
        await new Promise<void>((resolve) => (wake = resolve))
      }
      return messages.shift() as T
    },
    end(reason) {
      endReason ??= reason
      wake()
    },
  }
}
