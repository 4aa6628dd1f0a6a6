import type { ConversationSnapshot } from '../conversation/snapshot.ts'
import { sumUsage } from '../conversation/usage.ts'
import type { RunUsage } from '../protocol/message.ts'
import type { PendingCall } from '../protocol/run.ts'
import type { Source } from './snapshot-store.ts'

/** A child's conversation that is followed. */
interface Followed extends Source<ConversationSnapshot> {
  end(): void
}

interface Child {
  /** Of the call that it works for. */
  readonly path: readonly string[]
  readonly shown: Followed
  usage: RunUsage
}

type Spent = NonNullable<ConversationSnapshot['spent']>

/** What the agents that calls of a conversation wait for wait for themselves: it is pending there, too. */
export class ShownChildren {
  readonly #open: (childId: string, notify: () => void) => Followed
  readonly #notifier: { changed(): void }
  readonly #children = new Map<string, Child>()
  #joined: ConversationSnapshot | undefined
  /** What that was made of. */
  #parts: readonly unknown[] = []

  constructor(
    open: (childId: string, notify: () => void) => Followed,
    notifier: { changed(): void },
  ) {
    this.#open = open
    this.#notifier = notifier
  }

  /** Follows those whose calls wait for them, and no others. */
  follow({ messages, runId }: ConversationSnapshot): void {
    const waiting = new Map<string, readonly string[]>()
    if (runId !== undefined)
      for (const { calls = [] } of messages)
        for (const { child, path, status } of calls)
          if (child && status === 'suspended') waiting.set(child.conversationId, path)
    for (const [childId, { shown }] of this.#children)
      if (!waiting.has(childId)) {
        this.#children.delete(childId)
        shown.end()
      }
    for (const [childId, path] of waiting)
      if (!this.#children.has(childId)) {
        const shown = this.#open(childId, () => this.#notifier.changed())
        this.#children.set(childId, { path, shown, usage: { modelCalls: 0 } })
        shown.attend()
      }
  }

  /** The same object as long as nothing changed. */
  joinedTo(own: ConversationSnapshot): ConversationSnapshot {
    if (this.#children.size === 0) return own
    const children = [...this.#children.values()].map((child) => {
      const snapshot = child.shown.read()
      // Of one that has ended, what it showed last.
      child.usage = snapshot.run?.usage ?? child.usage
      return { path: child.path, snapshot }
    })
    const parts = [own, ...children.map(({ snapshot }) => snapshot)]
    const isSame =
      parts.length === this.#parts.length && parts.every((part, at) => part === this.#parts[at])
    if (this.#joined && isSame) return this.#joined
    this.#parts = parts
    const theirs = children.flatMap(({ path, snapshot }) =>
      snapshot.pending.map((call) => pendingOf(snapshot.conversationId, path, call)),
    )
    this.#joined = {
      ...own,
      ...drivenBy(
        own,
        children.map(({ snapshot }) => snapshot),
      ),
      ...(theirs.length > 0 && { status: 'waiting', pending: [...own.pending, ...theirs] }),
      ...(own.spent && { spent: this.#withTheirs(own.spent) }),
    }
    return this.#joined
  }

  /** What they used is stored with their calls once those have ended. */
  #withTheirs({ own, total }: Spent): Spent {
    const usages = [...this.#children.values()].map((child) => child.usage)
    return { own, total: usages.reduce(sumUsage, total) }
  }

  end(): void {
    for (const { shown } of this.#children.values()) shown.end()
    this.#children.clear()
  }
}

/** A run that only waits for others works as long as one of them does, and where that one does. */
function drivenBy(
  { ownership, status, runId }: ConversationSnapshot,
  children: readonly ConversationSnapshot[],
): Pick<ConversationSnapshot, 'ownership' | 'status'> {
  const working = children.find((child) => child.ownership !== 'none')
  const isOpen = runId !== undefined && ownership === 'none' && working !== undefined
  if (!isOpen) return { ownership, status }
  return { ownership: working.ownership, status: status === 'idle' ? 'running' : status }
}

function pendingOf(
  conversationId: string,
  above: readonly string[],
  call: PendingCall,
): PendingCall {
  const { path = [call.toolCallId] } = call
  return {
    ...call,
    conversationId: call.conversationId ?? conversationId,
    path: [...above, ...path],
  }
}
