/** Time that this page spent with a stream. */
export interface BusyTime {
  /** Milliseconds in all. */
  readonly totalMs: number
  /** Milliseconds of the longest task. */
  readonly longestMs: number
}

let totalMs = 0
let longestMs = 0

export function resetBusyTime(): void {
  totalMs = 0
  longestMs = 0
}

export const busyTime = (): BusyTime => ({ totalMs, longestMs })

/** Counts work that has just ended. */
export function countWork(startedAt: number): void {
  const ms = performance.now() - startedAt
  totalMs += ms
  longestMs = Math.max(longestMs, ms)
}

const { port1, port2 } = new MessageChannel()
const startedAt: number[] = []

/**
 * Counts the tasks in which message ports that are made from now on get a message, with the promises that those tasks
 * resolve. An agent's page and worker talk over such ports.
 */
export function countMessages(): void {
  port1.addEventListener('message', () => countWork(startedAt.shift() ?? performance.now()))
  port1.start()
  const countMessage = (): void => {
    startedAt.push(performance.now())
    // The next task gets this message, after all promises of this task.
    port2.postMessage(null)
  }
  const { addEventListener: listen } = MessagePort.prototype
  const descriptor = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage')
  MessagePort.prototype.addEventListener = function (
    this: MessagePort,
    ...[type, ...rest]: Parameters<typeof listen>
  ) {
    if (type === 'message') listen.call(this, 'message', countMessage)
    listen.call(this, type, ...rest)
  }
  Object.defineProperty(MessagePort.prototype, 'onmessage', {
    ...descriptor,
    set(this: MessagePort, next: unknown) {
      listen.call(this, 'message', countMessage)
      descriptor?.set?.call(this, next)
    },
  })
}
