import { OffstageError } from '../../protocol/error.ts'
import { oneByOne, type OneByOne } from '../../lib/one-by-one.ts'

/** A client that was refused tries again after this time. Milliseconds. */
const RETRY_MS = 1000

interface Queue {
  readonly inOrder: OneByOne
  count: number
}

/**
 * The writes of each tenant in this process, one at a time. They lock one line of the database, so a second one would only
 * wait there, with a connection that other tenants need.
 */
export class WriteQueues {
  readonly #most: number
  readonly #queues = new Map<string, Queue>()

  constructor(most: number) {
    this.#most = most
  }

  async write<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(tenant) ?? { inOrder: oneByOne(), count: 0 }
    if (queue.count >= this.#most) throw tooManyWrites(this.#most)
    this.#queues.set(tenant, queue)
    queue.count += 1
    try {
      return await queue.inOrder(work)
    } finally {
      queue.count -= 1
      if (queue.count === 0) this.#queues.delete(tenant)
    }
  }
}

function tooManyWrites(most: number): OffstageError {
  return new OffstageError(
    'storage-failed',
    `This tenant already has ${most} changes waiting on this server. Try again later.`,
    { retryable: true, details: { status: 429, retryAfterMs: RETRY_MS } },
  )
}
