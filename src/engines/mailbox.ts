/** A queue with one reader. */
export interface Mailbox<T> {
  post(message: T): void
  /** Takes the oldest message, or waits for one. */
  next(): Promise<T>
}

export function createMailbox<T>(): Mailbox<T> {
  const messages: T[] = []
  let wake: (() => void) | null = null
  return {
    post(message) {
      messages.push(message)
      wake?.()
      wake = null
    },
    async next() {
      while (messages.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return messages.shift() as T
    },
  }
}
