import { sleep } from '../../lib/sleep.ts'
import type { OffstageError } from '../../protocol/error.ts'
import { reportThrown } from '../api/failures.ts'

const RETRY_MS = 3000

/** Source of a snapshot, in code that is loaded with the worker. */
export interface Source<Value> {
  /** Returns the same value until something changes. */
  read(): Value
  /** Called when somebody reads the snapshot, or a listener is added or removed. */
  touch(): void
}

export type Listeners = ReadonlySet<() => void>

export interface SnapshotHost<Value> {
  /** False as long as reading must not start a worker. */
  isStarted(): boolean
  /** Opens the source, which returns `first` until it has data. */
  open(listeners: Listeners, first: Value): Promise<Source<Value>>
  /** Returns the snapshot for a source that can't be opened. */
  failed(thrown: unknown): Value
}

/** A value with subscriptions, made for `useSyncExternalStore` and similar hooks. */
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
        source.touch()
        if (source.read() !== value) notifyAll(listeners)
      },
      (thrown) => {
        // The next subscription tries again. If the error is retryable, existing subscriptions try again after a while.
        opening = undefined
        hasFailed = true
        value = host.failed(thrown)
        notifyAll(listeners)
        if ((thrown as Partial<OffstageError>).retryable)
          void sleep(RETRY_MS).then(() => listeners.size > 0 && open())
      },
    )
  }
  return {
    getSnapshot() {
      if (!opening && !hasFailed && host.isStarted()) open()
      // Keeps the source up to date for readers that don't subscribe.
      if (listeners.size === 0) source?.touch()
      return source ? source.read() : value
    },
    subscribe(listener) {
      // Wraps the listener, which may subscribe twice.
      const entry = (): void => listener()
      listeners.add(entry)
      open()
      source?.touch()
      return () => {
        listeners.delete(entry)
        source?.touch()
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
