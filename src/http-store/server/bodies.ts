import { OffstageError } from '../../protocol/error.ts'

/** A client that was refused tries again after this time. Milliseconds. */
const RETRY_MS = 1000
/** Bytes of a request that is small, as nearly all are. */
const SMALL = 65_536
/** Larger requests leave this share of all bytes to small ones: large bodies that never end hold up no claims and appends. */
const LEFT_TO_SMALL = 1 / 4

export interface BodyLimits {
  /** Bytes of one tenant. */
  readonly mostOfTenant: number
  /** Bytes of all tenants. */
  readonly most: number
}

/** Bytes of the requests in this process, from the first byte that is read to the answer. */
export class Bodies {
  readonly #limits: BodyLimits
  /** By tenant. */
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  /** `count` gets how many bytes were read so far, and throws where the tenant, or all together, have too many. */
  async hold<T>(tenant: string, work: (count: (bytes: number) => void) => Promise<T>): Promise<T> {
    const { mostOfTenant, most } = this.#limits
    let own = 0
    const count = (bytes: number): void => {
      const held = (this.#held.get(tenant) ?? 0) + bytes - own
      const total = this.#total + bytes - own
      if (held > mostOfTenant) throw tooManyBytes('this tenant', 429)
      if (total > (bytes > SMALL ? most * (1 - LEFT_TO_SMALL) : most))
        throw tooManyBytes('all tenants', 503)
      own = bytes
      this.#held.set(tenant, held)
      this.#total = total
    }
    try {
      return await work(count)
    } finally {
      count(0)
      if (this.#held.get(tenant) === 0) this.#held.delete(tenant)
    }
  }
}

function tooManyBytes(whose: string, status: number): OffstageError {
  return new OffstageError(
    'storage-failed',
    `The requests of ${whose} already have too many bytes on this server. Try again later.`,
    { retryable: true, details: { status, retryAfterMs: RETRY_MS } },
  )
}
