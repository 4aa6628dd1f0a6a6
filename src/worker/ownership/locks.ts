/** The part of `LockManager` that leases need, provided by Web Locks or by messages. */
export interface Locks {
  request(name: string, options: LockRequest, granted: () => Promise<void>): Promise<unknown>
  /** Sets the epoch that was claimed under the lock. Web Locks don't need it: they are never held twice. */
  setEpoch?(name: string, epoch: number): void
}

/** Options of a request. A stealing request has no signal, as with Web Locks. */
export type LockRequest = { readonly signal: AbortSignal } | { readonly steal: true }

/** A lock that was granted. */
export interface HeldLock {
  /** Another request stole the lock, or the browser took it from a page in its back/forward cache. */
  readonly isLost: boolean
  /** Called once if the lock is lost before it is released. */
  onLost: (() => void) | null
  release(): void
}

/**
 * Resolves when the lock is granted. Null if the request was aborted, by its signal or by the browser. WebKit aborts
 * requests of a page that enters its back/forward cache.
 */
export function requestLock(
  locks: Locks,
  name: string,
  request: LockRequest,
): Promise<HeldLock | null> {
  return new Promise((resolve, reject) => {
    const { lock, lose, released } = createHeldLock()
    let state: 'waiting' | 'granted' | 'over' = 'waiting'
    // The request gets its own signal, detached at the grant: some browsers still react to an abort then.
    const { options, detach } = detachableRequest(request)
    const settle = (outcome: 'granted' | 'over'): void => {
      state = outcome
      detach()
      resolve(outcome === 'granted' ? lock : null)
    }
    const granted = (): Promise<void> => {
      // The request may be granted just after it was aborted.
      if (state === 'over') return Promise.resolve()
      settle('granted')
      return released
    }
    locks.request(name, options, granted).catch((error: unknown) => {
      if (state === 'granted') return lose()
      // A page of an opaque origin has no locks, and shares its storage with nobody.
      if (errorName(error) === 'SecurityError') return settle('granted')
      if (errorName(error) === 'AbortError') return settle('over')
      detach()
      reject(error instanceof Error ? error : new Error(String(error)))
    })
  })
}

/** Returns the lock if it is already granted, or gets granted while its request is aborted. Otherwise null. */
export async function lockOrAbort(
  request: Promise<HeldLock | null>,
  stop: AbortController,
): Promise<HeldLock | null> {
  const settled = await Promise.race([request, Promise.resolve(undefined)])
  if (settled !== undefined) return settled
  stop.abort()
  return request
}

function detachableRequest(request: LockRequest): { options: LockRequest; detach: () => void } {
  if ('steal' in request) return { options: request, detach: () => undefined }
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  if (request.signal.aborted) abort()
  request.signal.addEventListener('abort', abort)
  const detach = (): void => request.signal.removeEventListener('abort', abort)
  return { options: { signal: controller.signal }, detach }
}

function createHeldLock(): { lock: HeldLock; lose: () => void; released: Promise<void> } {
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

function errorName(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : ''
}
