/** What leases need of a `LockManager`: Web Locks, or the same by messages. */
export interface Locks {
  request(name: string, options: LockRequest, granted: () => Promise<void>): Promise<unknown>
  /** Names the fence that was raised under the lock. Web Locks need none: they are never held twice. */
  setEpoch?(name: string, epoch: number): void
}

/** As with Web Locks, one that steals has no signal. */
export type LockRequest = { readonly signal: AbortSignal } | { readonly steal: true }

/** A lock that was granted. */
export interface HeldLock {
  /** Another one has stolen it, or the browser took it from a page in its back/forward cache. */
  readonly isLost: boolean
  /** Called once when it is lost before it is released. */
  onLost: (() => void) | null
  release(): void
}

/**
 * Resolves when the lock is granted; null when the request was aborted, by its signal or by the browser
 * (WebKit aborts those of a page that enters its back/forward cache).
 */
export function requestLock(
  locks: Locks,
  name: string,
  request: LockRequest,
): Promise<HeldLock | null> {
  return new Promise((resolve, reject) => {
    const { lock, lose, released } = heldLock()
    let state: 'waiting' | 'granted' | 'over' = 'waiting'
    const settle = (to: 'granted' | 'over', held: HeldLock | null): void => {
      state = to
      resolve(held)
    }
    locks
      .request(name, request, () => {
        // The grant and the abort may cross.
        if (state === 'over') return Promise.resolve()
        settle('granted', lock)
        return released
      })
      .catch((error: unknown) => {
        if (state === 'granted') return lose()
        // A page of an opaque origin has no locks, and shares its storage with nobody.
        if (nameOf(error) === 'SecurityError') return settle('granted', lock)
        const isAborted = 'signal' in request && request.signal.aborted
        if (isAborted || nameOf(error) === 'AbortError') return settle('over', null)
        reject(error instanceof Error ? error : new Error(String(error)))
      })
  })
}

function heldLock(): { lock: HeldLock; lose: () => void; released: Promise<void> } {
  let isLost = false
  let isOver = false
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const lock: HeldLock = {
    get isLost() {
      return isLost
    },
    onLost: null,
    release: () => {
      isOver = true
      release()
    },
  }
  const lose = (): void => {
    if (isOver) return
    isOver = true
    isLost = true
    lock.onLost?.()
  }
  return { lock, lose, released }
}

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : ''
}
