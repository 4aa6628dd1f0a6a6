/**
 * Who drives a conversation: one Web Lock each, held only while effects are under way. The lock
 * keeps tabs from getting in each other's way; what makes it safe is the epoch in the store.
 */
export interface Ownership {
  /** Waits for another owner to let go, `waitMs` at most (default 10 s), then takes over. */
  acquire(conversationId: string, waitMs?: number): Promise<void>
  /** Harmless when it isn't held. */
  release(conversationId: string): void
}

const STEAL_AFTER_MS = 10_000

/** Without Web Locks (plain HTTP on a LAN address) the epoch alone fences. */
export function createOwnership(scope: string): Ownership {
  const held = new Map<string, () => void>()
  const locks = globalThis.navigator?.locks
  if (locks === undefined) return { acquire: async () => undefined, release: () => undefined }
  return {
    acquire: async (conversationId, waitMs = STEAL_AFTER_MS) => {
      if (held.has(conversationId)) return
      const name = `offstage:${scope}:${conversationId}`
      const release = (await hold(locks, name, waitMs)) ?? (await steal(locks, name))
      held.set(conversationId, release)
    },
    release: (conversationId) => {
      held.get(conversationId)?.()
      held.delete(conversationId)
    },
  }
}

/** Null when nobody let go in time. */
function hold(locks: LockManager, name: string, waitMs: number): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    const waiting = new AbortController()
    const timer = setTimeout(() => waiting.abort(), waitMs)
    locks
      .request(name, { signal: waiting.signal }, () => {
        clearTimeout(timer)
        return new Promise<void>((release) => resolve(release))
      })
      .catch((error: unknown) => {
        if (waiting.signal.aborted) resolve(null)
        else reject(error instanceof Error ? error : new Error(String(error)))
      })
  })
}

function steal(locks: LockManager, name: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    locks
      .request(name, { steal: true }, () => new Promise<void>((release) => resolve(release)))
      // The next thief rejects this request; the epoch tells its holder.
      .catch((error: unknown) => reject(error instanceof Error ? error : new Error(String(error))))
  })
}
