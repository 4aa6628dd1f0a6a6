/** Waits for turns of the event loop, one after the other. */
export interface EventLoopYielder {
  /** Lets other tasks run. Only one call at a time. */
  next(): Promise<void>
  close(): void
}

/**
 * Uses a `MessageChannel`, because timers in hidden tabs wait a second or a minute. A channel costs more than a
 * message: to wait repeatedly, use one yielder for all turns, then close it.
 */
export function createEventLoopYielder(): EventLoopYielder {
  const { port1, port2 } = new MessageChannel()
  let resume = (): void => undefined
  port1.addEventListener('message', () => resume())
  port1.start()
  return {
    next: () =>
      new Promise((resolve) => {
        resume = resolve
        port2.postMessage(null)
      }),
    close: () => port1.close(),
  }
}

/** Lets other tasks run. */
export async function yieldToEventLoop(): Promise<void> {
  const turns = createEventLoopYielder()
  await turns.next()
  turns.close()
}
