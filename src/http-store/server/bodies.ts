import { OffstageError } from '../../protocol/error.ts'

/** Time after which a refused client tries again. Milliseconds. */
const RETRY_MS = 1000
/** Largest size of a small request, as nearly all are. Bytes. */
const SMALL = 65_536
/**
 * Share of all bytes that is reserved for small requests. Large bodies that never end can't block claims and appends.
 */
const LEFT_TO_SMALL = 1 / 4

export interface BodyLimits {
  /** Most bytes of one tenant. */
  readonly mostOfTenant: number
  /** Most bytes of all tenants together. */
  readonly most: number
}

/** Records how many bytes a request holds now. Throws if the tenant, or all together, hold too many. */
export type Count = (bytes: number) => void

/**
 * Counts the bytes of requests in this process, from the first byte read until the answer. Counts long answers until
 * they are read.
 */
export class Bodies {
  readonly #limits: BodyLimits
  /** Bytes by tenant. */
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  async hold<T>(tenant: string, work: (count: Count) => Promise<T>): Promise<T> {
    const count = this.counter(tenant)
    try {
      return await work(count)
    } finally {
      count(0)
    }
  }

  /** Counts the bytes of one request or answer. */
  counter(tenant: string): Count {
    const { mostOfTenant, most } = this.#limits
    let own = 0
    return (bytes) => {
      const held = (this.#held.get(tenant) ?? 0) + bytes - own
      const total = this.#total + bytes - own
      if (bytes > own && held > mostOfTenant) throw tooManyBytes('this tenant', 429)
      if (bytes > own && total > (bytes > SMALL ? most * (1 - LEFT_TO_SMALL) : most))
        throw tooManyBytes('all tenants', 503)
      own = bytes
      this.#total = total
      if (held > 0) this.#held.set(tenant, held)
      else this.#held.delete(tenant)
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
