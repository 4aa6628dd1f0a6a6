import type { ChatContext, LocalState } from './context.ts'
import type { ShownMessage } from '../../index.ts'

type Context = Pick<ChatContext, 'snapshot' | 'local'>

/** Measures how long a model thinks before an answer. Measures only thinking that is seen from start to end. */
export class ReasoningTimes {
  readonly #now: () => number
  #conversationId: string | null = null
  /** True if the conversation came on view while an answer was being written, until that answer is known. */
  #isJoining = false
  /** Id of the answer being written when the conversation came on view. It isn't measured. */
  #joinedId: string | null = null
  /** Id of the answer being written, if it is measured. */
  #openId: string | null = null
  /** Start of the current thinking. */
  #since: number | null = null

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Runs after each drawing. */
  update({ snapshot, local }: Context): void {
    const { conversationId, status, messages, ownership } = snapshot
    if (conversationId !== this.#conversationId) {
      this.#leave(local)
      // A loading conversation has no known state yet.
      if (status === 'loading') return
      this.#conversationId = conversationId
      this.#isJoining = status === 'running'
    }
    const last = messages.at(-1)
    const open = last && isBeingWritten(last) ? last : null
    // A run of this page is seen from its start.
    const isSeen = status !== 'running' || ownership === 'this-tab'
    if (this.#isJoining && (open || isSeen)) {
      this.#isJoining = false
      this.#joinedId = open?.id ?? null
    }
    this.#measure(open?.id === this.#joinedId ? null : open, local)
  }

  /** Stops measuring. Drops the time of an unfinished answer, because it would be incomplete. */
  #leave(local: LocalState): void {
    if (this.#openId !== null) local.set(thinkingKey({ id: this.#openId }), undefined)
    this.#conversationId = null
    this.#joinedId = null
    this.#openId = null
    this.#since = null
  }

  #measure(open: ShownMessage | null, local: LocalState): void {
    if (this.#since !== null && (open?.id !== this.#openId || !open || !isThinking(open))) {
      const id = this.#openId ?? ''
      local.set(thinkingKey({ id }), (thinkingMs(local, { id }) ?? 0) + this.#now() - this.#since)
      this.#since = null
    }
    this.#openId = open?.id ?? null
    if (open && isThinking(open)) this.#since ??= this.#now()
  }
}

/** Whether a model thinks about an answer now. */
export function isThinking(message: Pick<ShownMessage, 'at' | 'role' | 'parts'>): boolean {
  return isBeingWritten(message) && message.parts.at(-1)?.type === 'reasoning'
}

/** Milliseconds of thinking so far; undefined if part of it was not seen. */
export function thinkingMs(
  local: LocalState,
  message: Pick<ShownMessage, 'id'>,
): number | undefined {
  return local.get(thinkingKey(message))
}

function isBeingWritten({ at, role }: Pick<ShownMessage, 'at' | 'role'>): boolean {
  return at === undefined && role === 'assistant'
}

function thinkingKey({ id }: Pick<ShownMessage, 'id'>): string {
  return `thought:${id}`
}
