import { OffstageError } from '../protocol/error.ts'

/**
 * Who drives a conversation: one Web Lock each, held only while effects are under way. The lock
 * keeps tabs from getting in each other's way; what makes it safe is the epoch in the store.
 */
export interface Ownership {
  /**
   * True once this worker is the owner. False when a living owner elsewhere says that it is. One
   * that stays silent for `SILENCE_MS` (a frozen tab) is taken over from.
   */
  acquire(conversationId: string): Promise<boolean>
  /** Harmless when it isn't held. */
  release(conversationId: string): void
  /** False once it was released, or taken over by another worker. */
  holds(conversationId: string): boolean
  /** Something was decided of a run that other tabs may hold parked: they look. */
  announce(conversationId: string): void
}

export interface OwnershipObserver {
  /** Another worker has taken over. */
  onLost(conversationId: string): void
  /** Another worker announced that something was decided. */
  onAnnounced(conversationId: string): void
}

export function elsewhere(conversationId: string): OffstageError {
  return new OffstageError(
    'conversation-busy',
    `Conversation ${conversationId} is being worked on in another tab.`,
    { retryable: true },
  )
}

/** Somebody else works on the conversation, or deleted it. */
export function isElsewhere(thrown: unknown): boolean {
  return (
    OffstageError.is(thrown) &&
    (thrown.code === 'conversation-busy' ||
      thrown.code === 'conversation-not-found' ||
      thrown.code === 'ownership-lost')
  )
}

/** A page that is being left lets go of its locks within this time. Milliseconds. */
const UNLOAD_MS = 300
const ANSWER_MS = 1000
const RETRY_MS = 50
const SILENCE_MS = 10_000

type Talk =
  | { readonly type: 'who-owns'; readonly conversationId: string }
  | { readonly type: 'mine'; readonly conversationId: string }
  | { readonly type: 'decided'; readonly conversationId: string }

/**
 * `scope` names the store. Without Web Locks (plain HTTP on a LAN address lacks them) everybody is an
 * owner, and the epoch alone fences.
 */
export function createOwnership(
  scope: string,
  locks: LockManager | undefined,
  observer: OwnershipObserver,
): Ownership {
  if (locks === undefined) {
    const nothing = (): void => undefined
    return { acquire: async () => true, release: nothing, holds: () => true, announce: nothing }
  }
  const held = new Map<string, () => void>()
  const taking = new Map<string, Promise<boolean>>()
  const owners = new OwnerTalk(scope, {
    isMine: (conversationId) => held.has(conversationId),
    onAnnounced: (conversationId) => observer.onAnnounced(conversationId),
  })

  const take = async (conversationId: string): Promise<boolean> => {
    const name = `offstage:${scope}:${conversationId}`
    const lose = (): void => {
      if (held.delete(conversationId)) observer.onLost(conversationId)
    }
    for (let waited = 0; waited < SILENCE_MS; waited += ANSWER_MS) {
      const release = await hold(locks, name, { waitMs: waited === 0 ? UNLOAD_MS : RETRY_MS, lose })
      if (release) {
        held.set(conversationId, release)
        return true
      }
      if (await owners.hasLivingOwner(conversationId)) return false
    }
    held.set(conversationId, await steal(locks, name, lose))
    return true
  }
  return {
    acquire: async (conversationId) => {
      if (held.has(conversationId)) return true
      const known = taking.get(conversationId)
      if (known) return known
      const taken = take(conversationId).finally(() => taking.delete(conversationId))
      taking.set(conversationId, taken)
      return taken
    },
    release: (conversationId) => {
      held.get(conversationId)?.()
      held.delete(conversationId)
    },
    holds: (conversationId) => held.has(conversationId),
    announce: (conversationId) => owners.announce(conversationId),
  }
}

/** Owners answer for themselves: the browser doesn't tell a working owner from a frozen one. */
class OwnerTalk {
  readonly #channel: BroadcastChannel | null
  readonly #answers = new EventTarget()

  constructor(
    scope: string,
    {
      isMine,
      onAnnounced,
    }: Pick<OwnershipObserver, 'onAnnounced'> & { isMine(conversationId: string): boolean },
  ) {
    this.#channel =
      typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(`offstage:${scope}`)
    this.#channel?.addEventListener('message', ({ data }: MessageEvent<Talk>) => {
      const { type, conversationId } = data
      if (type === 'mine') this.#answers.dispatchEvent(new Event(conversationId))
      else if (type === 'decided') onAnnounced(conversationId)
      else if (isMine(conversationId)) this.#say({ type: 'mine', conversationId })
    })
  }

  announce(conversationId: string): void {
    this.#say({ type: 'decided', conversationId })
  }

  hasLivingOwner(conversationId: string): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (answered: boolean): void => {
        clearTimeout(timer)
        this.#answers.removeEventListener(conversationId, hear)
        resolve(answered)
      }
      const hear = (): void => finish(true)
      const timer = setTimeout(() => finish(false), ANSWER_MS)
      this.#answers.addEventListener(conversationId, hear)
      this.#say({ type: 'who-owns', conversationId })
    })
  }

  #say(talk: Talk): void {
    this.#channel?.postMessage(talk)
  }
}

/** Null when nobody released it within `waitMs`. `lose`: it was stolen while it was held. */
function hold(
  locks: LockManager,
  name: string,
  { waitMs, lose }: { readonly waitMs: number; readonly lose: () => void },
): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    const waiting = new AbortController()
    const timer = setTimeout(() => waiting.abort(), waitMs)
    let isHeld = false
    locks
      .request(name, { signal: waiting.signal }, () => {
        clearTimeout(timer)
        isHeld = true
        return new Promise<void>((release) => resolve(release))
      })
      .catch((error: unknown) => {
        if (isHeld) lose()
        else if (waiting.signal.aborted) resolve(null)
        // A page of an opaque origin has no locks, and shares its storage with nobody.
        else if (asError(error).name === 'SecurityError') resolve(() => undefined)
        else reject(asError(error))
      })
  })
}

function steal(locks: LockManager, name: string, lose: () => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    let isHeld = false
    locks
      .request(name, { steal: true }, () => {
        isHeld = true
        return new Promise<void>((release) => resolve(release))
      })
      .catch((error: unknown) => (isHeld ? lose() : reject(asError(error))))
  })
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
