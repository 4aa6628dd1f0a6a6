import { OffstageError } from '../../protocol/error.ts'

/** A client that was refused tries again after this time. Milliseconds. */
const RETRY_MS = 1000

/** Bytes of the requests of each tenant in this process, from the first byte that is read to the answer. */
export class Bodies {
  readonly #most: number
  readonly #held = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** `count` gets how many bytes were read so far, and throws where the tenant has too many. */
  async hold<T>(tenant: string, work: (count: (bytes: number) => void) => Promise<T>): Promise<T> {
    let own = 0
    const count = (bytes: number): void => {
      const held = (this.#held.get(tenant) ?? 0) + bytes - own
      if (held > this.#most) throw tooManyBytes(this.#most)
      own = bytes
      this.#held.set(tenant, held)
    }
    try {
      return await work(count)
    } finally {
      count(0)
      if (this.#held.get(tenant) === 0) this.#held.delete(tenant)
    }
  }
}

function tooManyBytes(most: number): OffstageError {
  return new OffstageError(
    'storage-failed',
    `The requests of this tenant already have ${most} bytes on this server. Try again later.`,
    { retryable: true, details: { status: 429, retryAfterMs: RETRY_MS } },
  )
}
