import { onNextFrame } from './next-frame.ts'
import { type Listeners, notifyAll } from './snapshot-store.ts'

/** Notifies listeners at most once a frame. */
export class Notifier {
  readonly #listeners: Listeners
  #cancelFrame: (() => void) | undefined

  constructor(listeners: Listeners) {
    this.#listeners = listeners
  }

  changed(): void {
    if (this.#listeners.size > 0) this.#cancelFrame ??= onNextFrame(() => this.#notify())
  }

  /** Notifies now if a notification waits for the next frame. */
  flush(): void {
    if (this.#cancelFrame) this.#notify()
  }

  #notify(): void {
    this.#cancelFrame?.()
    this.#cancelFrame = undefined
    notifyAll(this.#listeners)
  }
}
