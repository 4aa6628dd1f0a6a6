import type { World } from './world.ts'

interface Options {
  readonly signal?: AbortSignal
  readonly steal?: boolean
}

interface Waiter {
  readonly grant: () => void
}

/** Simulates what tabs of a browser share: locks and channels. */
export class Tabs {
  readonly #world: World
  readonly #held = new Map<string, (stolen: Error) => void>()
  readonly #waiting = new Map<string, Waiter[]>()
  readonly #channels = new Map<string, TabChannel[]>()

  constructor(world: World) {
    this.#world = world
  }

  /** Implements `navigator.locks.request`. */
  readonly request = (
    name: string,
    { signal, steal }: Options,
    granted: (lock: object) => unknown,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const hold = async (): Promise<void> => {
        try {
          const stolen = new Promise((_, lose) => this.#held.set(name, lose))
          const lost = this.#held.get(name)
          resolve(await Promise.race([granted({ name }), stolen]))
          if (this.#held.get(name) === lost) this.#release(name)
        } catch (error) {
          reject(error as Error)
        }
      }
      const waiter = { grant: () => this.#world.post(() => void hold()) }
      const waiting = this.#waiting.get(name) ?? []
      this.#waiting.set(name, waiting)
      if (steal) {
        this.#held.get(name)?.(new DOMException('The lock was stolen.', 'AbortError'))
        void hold()
        return
      }
      waiting.push(waiter)
      signal?.addEventListener('abort', () => {
        const at = waiting.indexOf(waiter)
        if (at < 0) return
        waiting.splice(at, 1)
        reject(new DOMException('Not any more.', 'AbortError'))
      })
      if (!this.#held.has(name)) this.#release(name)
    })

  channel(name: string): TabChannel {
    const all = this.#channels.get(name) ?? []
    this.#channels.set(name, all)
    const channel = new TabChannel((data) => {
      for (const other of all) {
        if (other !== channel) this.#world.post(() => other.take(structuredClone(data)))
      }
    })
    all.push(channel)
    return channel
  }

  #release(name: string): void {
    this.#held.delete(name)
    const next = this.#waiting.get(name)?.shift()
    if (!next) return
    // Held from now on, though the callback runs later.
    this.#held.set(name, () => undefined)
    next.grant()
  }
}

class TabChannel extends EventTarget {
  readonly postMessage: (data: unknown) => void

  constructor(postMessage: (data: unknown) => void) {
    super()
    this.postMessage = postMessage
  }

  take(data: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}
