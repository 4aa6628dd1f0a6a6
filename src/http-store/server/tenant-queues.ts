import { OffstageError } from '../../protocol/error.ts'
import { oneByOne, type OneByOne } from '../../lib/one-by-one.ts'

/** Time after which a refused client tries again. Milliseconds. */
const RETRY_MS = 1000

interface Lane {
  readonly inOrder: OneByOne
  count: number
}

export interface QueueLimits {
  /** Most requests of one tenant that use the database at once. Each takes a connection that other tenants need. */
  readonly atOnce: number
  /** Most requests of one tenant, including waiting ones. */
  readonly most: number
  /** Kind of requests in these queues, for the error message. */
  readonly name: 'changes' | 'reads'
}

/**
 * Queues for each tenant's requests in this process. A few use the database at once, in the order in which they came.
 */
export class TenantQueues {
  readonly #limits: QueueLimits
  readonly #lanes = new Map<string, readonly Lane[]>()

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  async run<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    const { atOnce, most, name } = this.#limits
    const lanes = this.#lanes.get(tenant) ?? Array.from({ length: atOnce }, newLane)
    if (countIn(lanes) >= most) throw tooMany(name, most)
    this.#lanes.set(tenant, lanes)
    const lane = lanes.reduce((a, b) => (b.count < a.count ? b : a))
    lane.count += 1
    try {
      return await lane.inOrder(work)
    } finally {
      lane.count -= 1
      if (countIn(lanes) === 0) this.#lanes.delete(tenant)
    }
  }
}

function newLane(): Lane {
  return { inOrder: oneByOne(), count: 0 }
}

function countIn(lanes: readonly Lane[]): number {
  return lanes.reduce((sum, { count }) => sum + count, 0)
}

function tooMany(name: QueueLimits['name'], most: number): OffstageError {
  return new OffstageError(
    'storage-failed',
    `This tenant already has ${most} ${name} waiting on this server. Try again later.`,
    { retryable: true, details: { status: 429, retryAfterMs: RETRY_MS } },
  )
}
