import type { ErrorData } from '../protocol/error.ts'
import { toErrorData } from '../protocol/error.ts'
import type { RunEvent } from '../protocol/event.ts'
import { reportThrown } from './failures.ts'
import { onNextFrame } from './next-frame.ts'
import type { ConversationSnapshot } from './snapshot.ts'
import { emptySnapshot, reduceEvent } from './snapshot.ts'

/** A conversation to follow; made for `useSyncExternalStore` and its like. Its methods are bound. */
export interface Conversation {
  /** Status `'loading'` until the stored messages are there. */
  getSnapshot(): ConversationSnapshot
  /** At most one call a frame, and one before a tool starts. Returns its undo. Starts the worker. */
  subscribe(listener: () => void): () => void
}

export interface ConversationView extends Conversation {
  push(events: readonly RunEvent[]): void
  /** Notifies now what waits for the next frame. */
  flush(): void
  /** The stored messages changed. */
  reload(): void
}

/** What is stored of a conversation, without the runs that the events tell from their beginning. */
export type StoredView = (events: readonly RunEvent[]) => ConversationSnapshot

export interface ViewHost {
  /** What the store has, and is then shown before the events that came so far. */
  load(): Promise<StoredView>
  /** All events so far of the conversation's open runs. */
  openEvents(): readonly RunEvent[]
  /** False as long as looking must not start a worker. */
  isStarted(): boolean
}

export function createConversationView(conversationId: string, host: ViewHost): ConversationView {
  const listeners = new Set<() => void>()
  let snapshot = emptySnapshot(conversationId, 'loading')
  /** Events that came while the stored messages were on their way; null when none are. */
  let early: RunEvent[] | null = null
  let loads = 0
  let cancelFrame: (() => void) | undefined

  const notify = (): void => {
    cancelFrame = undefined
    for (const listener of listeners)
      try {
        listener()
      } catch (thrown) {
        reportThrown(thrown)
      }
  }
  const show = (next: ConversationSnapshot): void => {
    if (next === snapshot) return
    snapshot = next
    if (listeners.size) cancelFrame ??= onNextFrame(notify)
  }
  const load = async (): Promise<void> => {
    const turn = ++loads
    early = [...host.openEvents()]
    let error: ErrorData | undefined
    const stored = await host.load().catch((thrown) => {
      error = toErrorData(thrown)
      return () => emptySnapshot(conversationId, 'idle')
    })
    if (turn !== loads) return
    const base = stored(early)
    show(early.reduce(reduceEvent, error ? { ...base, error } : base))
    early = null
  }

  return {
    getSnapshot() {
      if (!loads && host.isStarted()) void load()
      return snapshot
    },
    subscribe(listener) {
      // A function of its own: one listener may subscribe twice.
      const entry = (): void => listener()
      listeners.add(entry)
      if (!loads) void load()
      return () => void listeners.delete(entry)
    },
    push(events) {
      if (early) early.push(...events)
      else if (loads) show(events.reduce(reduceEvent, snapshot))
    },
    flush() {
      if (!cancelFrame) return
      cancelFrame()
      notify()
    },
    reload() {
      if (loads) void load()
    },
  }
}
