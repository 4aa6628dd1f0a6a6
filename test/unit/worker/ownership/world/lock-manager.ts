import type { Clock } from './clock.ts'
import type { Process } from './process.ts'

interface Request {
  readonly tab: Process
  readonly name: string
  readonly signal: AbortSignal | undefined
  readonly granted: () => Promise<void>
  /** Once the tab has been told, its signal has no effect. */
  isGranted: boolean
  resolve(): void
  reject(error: unknown): void
}

interface Options {
  readonly signal?: AbortSignal
  readonly steal?: boolean
}

/** The way from a tab to the lock manager, and back. Milliseconds. */
const WAY_MS = 1

/** The origin's lock manager, exclusive locks only, as the specification of Web Locks has it. */
export class LockManagerOfOrigin {
  readonly #clock: Clock
  readonly #queue: Request[] = []
  #held: Request[] = []
  /** All requests so far. */
  requests = 0
  steals = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `navigator.locks` of a tab. */
  of(tab: Process): LockManager {
    const request = (name: string, options: Options, granted: () => Promise<void>): Promise<void> =>
      this.#request({ tab, name, granted }, options)
    return { request } as unknown as LockManager
  }

  /** The tabs that wait for locks whose name ends like this, in order. */
  waiting(name: string): Process[] {
    return this.#queue.filter((each) => each.name.endsWith(name)).map(({ tab }) => tab)
  }

  /** The tab is gone: its locks are free, its requests aborted. */
  terminate(tab: Process): void {
    for (const request of this.#queue.filter((each) => each.tab === tab)) this.#unqueue(request)
    this.#held = this.#held.filter((each) => each.tab !== tab)
    this.#process()
  }

  /** Aborts the tab's locks and requests. WebKit does so when a page enters its back/forward cache. */
  suspend(tab: Process): void {
    const gone = [...this.#queue, ...this.#held].filter((each) => each.tab === tab)
    this.terminate(tab)
    for (const { reject } of gone) tab.task(0, () => reject(aborted('suspended')))
  }

  #request(
    asked: Pick<Request, 'tab' | 'name' | 'granted'>,
    { signal, steal = false }: Options,
  ): Promise<void> {
    const { tab, name } = asked
    this.requests++
    return new Promise((resolve, reject) => {
      if (tab.isOpaque) return reject(new DOMException('Opaque.', 'SecurityError'))
      if (name.startsWith('-') || (steal && signal)) {
        return reject(new DOMException('Not like this.', 'NotSupportedError'))
      }
      if (signal?.aborted) return reject(signal.reason as Error)
      const request: Request = { ...asked, signal, isGranted: false, resolve, reject }
      this.#clock.after(WAY_MS, () => {
        if (!tab.isAlive) return
        if (steal) this.#steal(request)
        else if (!signal?.aborted) this.#queue.push(request)
        this.#process()
      })
      signal?.addEventListener('abort', () => {
        if (request.isGranted) return
        this.#clock.after(WAY_MS, () => {
          this.#unqueue(request)
          this.#process()
        })
        reject(signal.reason as Error)
      })
    })
  }

  #steal(request: Request): void {
    this.steals++
    for (const lost of this.#held.filter(({ name }) => name === request.name)) {
      this.#release(lost)
      lost.tab.task(WAY_MS, () => lost.reject(aborted('stolen')))
    }
    this.#queue.unshift(request)
  }

  #process(): void {
    for (const request of this.#queue.slice()) {
      if (this.#held.some(({ name }) => name === request.name)) continue
      this.#unqueue(request)
      this.#held.push(request)
      request.tab.task(WAY_MS, () => void this.#grant(request))
    }
  }

  async #grant(request: Request): Promise<void> {
    if (!request.signal?.aborted) {
      request.isGranted = true
      await request.granted()
    }
    this.#clock.after(WAY_MS, () => {
      if (!this.#held.includes(request)) return
      this.#release(request)
      this.#process()
    })
    request.resolve()
  }

  #release(request: Request): void {
    this.#held = this.#held.filter((each) => each !== request)
  }

  #unqueue(request: Request): void {
    const at = this.#queue.indexOf(request)
    if (at >= 0) this.#queue.splice(at, 1)
  }
}

function aborted(why: string): DOMException {
  return new DOMException(why, 'AbortError')
}
