import type { ConversationSnapshot } from '../conversation/snapshot.ts'
import { sumUsage } from '../conversation/usage.ts'
import type { RunUsage } from '../protocol/message.ts'
import type { PendingCall } from '../protocol/run.ts'
import type { Source } from './snapshot-store.ts'

/** A child conversation that is followed. */
interface Followed extends Source<ConversationSnapshot> {
  end(): void
}

interface Child {
  /** Path of the call that the child run works for. */
  readonly path: readonly string[]
  readonly shown: Followed
  usage: RunUsage
}

type Spent = NonNullable<ConversationSnapshot['spent']>

/** Adds child conversations to a conversation's view: calls that are pending there are pending here, too. */
export class ShownChildren {
  readonly #open: (childId: string, notify: () => void) => Followed
  readonly #notifier: { changed(): void }
  readonly #children = new Map<string, Child>()
  #joined: ConversationSnapshot | undefined
  /** The snapshots that `#joined` was made of. */
  #parts: readonly unknown[] = []

  constructor(
    open: (childId: string, notify: () => void) => Followed,
    notifier: { changed(): void },
  ) {
    this.#open = open
    this.#notifier = notifier
  }

  /** Follows the child conversations of waiting calls, and no others. */
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

  /** Returns the snapshot with its children's state: the same object as long as nothing changed. */
  joinedTo(own: ConversationSnapshot): ConversationSnapshot {
    if (this.#children.size === 0) return own
    const children = [...this.#children.values()].map((child) => {
      const snapshot = child.shown.read()
      // After a child run has ended, its last known usage counts.
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

  /** Adds the usage of the children. The store has it with their calls only once those have ended. */
  #withTheirs({ own, total }: Spent): Spent {
    const usages = [...this.#children.values()].map((child) => child.usage)
    return { own, total: usages.reduce(sumUsage, total) }
  }

  end(): void {
    for (const { shown } of this.#children.values()) shown.end()
    this.#children.clear()
  }
}

/** Returns owner and status of a run. If it only waits for child runs, they are those of a child that works. */
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
