/** A queue between the reader of a stream and the consumer of its items. */
export interface Inbox<Item> {
  put(item: Item): void
  /** Resolves to the next item, in order. Rejects with the reason of `end` when no items are left. */
  take(): Promise<Item>
  /** Ends the queue: no more items follow. */
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
