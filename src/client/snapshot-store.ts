import { reportThrown } from './failures.ts'

/** Where something that is shown comes from, once the part that is loaded with the worker is there. */
export interface Source<Value> {
  /** The same value as long as nothing changed. */
  read(): Value
  /** Somebody looks, begins to listen, or nobody listens any more. */
  attend(): void
}

export type Listeners = ReadonlySet<() => void>

export interface SnapshotHost<Value> {
  /** False as long as looking must not start a worker. */
  isStarted(): boolean
  /** The source shows `first` until it has something. */
  open(listeners: Listeners, first: Value): Promise<Source<Value>>
  /** What is shown when the source can't be opened. */
  failed(thrown: unknown): Value
}

/** Something to follow; made for `useSyncExternalStore` and its like. */
export interface SnapshotStore<Value> {
  getSnapshot(): Value
  subscribe(listener: () => void): () => void
}

export function createSnapshotStore<Value>(
  first: Value,
  host: SnapshotHost<Value>,
): SnapshotStore<Value> {
  const listeners = new Set<() => void>()
  let value = first
  let source: Source<Value> | undefined
  let opening: Promise<void> | undefined
  let hasFailed = false

  const open = (): void => {
    opening ??= host.open(listeners, first).then(
      (opened) => {
        source = opened
        source.attend()
        if (source.read() !== value) notifyAll(listeners)
      },
      (thrown) => {
        // The next one who listens has it tried again.
        opening = undefined
        hasFailed = true
        value = host.failed(thrown)
        notifyAll(listeners)
      },
    )
  }
  return {
    getSnapshot() {
      if (!opening && !hasFailed && host.isStarted()) open()
      // Who only looks now and then is shown what is new, too.
      if (listeners.size === 0) source?.attend()
      return source ? source.read() : value
    },
    subscribe(listener) {
      // A function of its own: one listener may subscribe twice.
      const entry = (): void => listener()
      listeners.add(entry)
      open()
      source?.attend()
      return () => {
        listeners.delete(entry)
        source?.attend()
      }
    },
  }
}

export function notifyAll(listeners: Listeners): void {
  for (const listener of listeners)
    try {
      listener()
    } catch (thrown) {
      reportThrown(thrown)
    }
}
