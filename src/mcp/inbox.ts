/** A queue between whoever reads a stream and whoever waits for its items. */
export interface Inbox<Item> {
  put(item: Item): void
  /** The next one, in order; rejects once with what it was ended with, when nothing is left. */
  take(): Promise<Item>
  /** Nothing more comes. */
  end(reason: Error): void
}

export function createInbox<Item>(): Inbox<Item> {
  const items: Item[] = []
  let ended: Error | undefined
  let wake = (): void => undefined
  return {
    put(item) {
      items.push(item)
      wake()
    },
    async take() {
      for (;;) {
        const item = items.shift()
        if (item !== undefined) return item
        if (ended) throw ended
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    end(reason) {
      ended ??= reason
      wake()
    },
  }
}
