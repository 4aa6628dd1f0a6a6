import type { CDPSession, Page } from '@playwright/test'
import { Patience, sleep } from '../torture/patience.ts'

/** Objects still alive in a page and its worker after garbage collection. */
export interface Sample {
  /** Number of runs before this sample. */
  readonly runs: number
  /** Time since the page was opened, by its own clock. */
  readonly minutes: number
  /** Bytes, after garbage collection. */
  readonly pageHeap: number
  readonly workerHeap: number
  readonly pageListeners: number
  readonly pagePorts: number
  readonly workerPorts: number
  readonly pageChannels: number
  readonly workerChannels: number
  readonly pageSignals: number
  readonly workerSignals: number
  readonly pageTimers: number
  readonly workerTimers: number
  /** Held, or asked for. */
  readonly locks: number
  readonly transactions: number
  readonly workers: number
}

interface Counted {
  readonly timers: number
  readonly transactions: number
}

/** Talks to one JavaScript world: of the page, or of its worker. */
type Send = (method: string, params?: object) => Promise<unknown>

/** Between two skips of the clocks. Milliseconds. */
const STEP_MS = 10
/** How long a frozen page really stays frozen. Milliseconds. */
const FROZEN_MS = 1000

/** Looks into a page and into its worker by the browser's own tools. */
export class Probe {
  readonly #page: Page
  readonly #session: CDPSession
  readonly #inPage: Send
  readonly #workers = new Map<string, Send>()

  private constructor(page: Page, session: CDPSession) {
    this.#page = page
    this.#session = session
    this.#inPage = (method, params) => session.send(method as never, params as never)
  }

  static async begin(page: Page): Promise<Probe> {
    const session = await page.context().newCDPSession(page)
    const probe = new Probe(page, session)
    await session.send('Performance.enable')
    probe.#followWorkers()
    await session.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: false,
      flatten: false,
    })
    return probe
  }

  async sample(runs: number): Promise<Sample> {
    const worker = await this.#worker()
    const [pageHeap, workerHeap] = [await collect(this.#inPage), await collect(worker)]
    const { metrics } = await this.#session.send('Performance.getMetrics')
    const counts = await this.#page.evaluate(() => window.soak.counts())
    const inWorker = await evaluate<Counted>(worker, 'counted()')
    return {
      runs,
      minutes: (await evaluate<number>(this.#inPage, 'performance.now()')) / 60_000,
      pageHeap,
      workerHeap,
      pageListeners: metrics.find(({ name }) => name === 'JSEventListeners')?.value ?? 0,
      pagePorts: await alive(this.#inPage, 'MessagePort'),
      workerPorts: await alive(worker, 'MessagePort'),
      pageChannels: await alive(this.#inPage, 'BroadcastChannel'),
      workerChannels: await alive(worker, 'BroadcastChannel'),
      pageSignals: await alive(this.#inPage, 'AbortSignal'),
      workerSignals: await alive(worker, 'AbortSignal'),
      pageTimers: counts.timers,
      workerTimers: inWorker.timers,
      locks: counts.locks,
      transactions: counts.transactions + inWorker.transactions,
      workers: counts.workers,
    }
  }

  /** Lets time pass in the page and in its worker at once, timer by timer. */
  async passTime(ms: number): Promise<void> {
    for (let left = ms; left > 0;) {
      // Before the first run, there is no worker.
      const worlds = [this.#inPage, ...[...this.#workers.values()].slice(-1)]
      const nexts = await Promise.all(
        worlds.map((world) => evaluate<number | null>(world, 'clock.next()')),
      )
      const step = Math.max(1, Math.min(left, ...nexts.map((next) => next ?? left)))
      await Promise.all(worlds.map((world) => evaluate(world, `clock.skip(${step})`)))
      left -= step
      // Messages between the two take real time.
      await sleep(step < left ? STEP_MS : 0)
    }
  }

  /** The machine sleeps: the page is frozen, and finds its clocks moved on when it thaws. */
  async sleepFor(ms: number): Promise<void> {
    const worker = await this.#worker()
    await this.#session.send('Page.setWebLifecycleState', { state: 'frozen' })
    await sleep(FROZEN_MS)
    await Promise.all([this.#inPage, worker].map((world) => evaluate(world, `clock.skip(${ms})`)))
    await this.#session.send('Page.setWebLifecycleState', { state: 'active' })
  }

  /** The newest one, which may be about to start. */
  async #worker(): Promise<Send> {
    const patience = new Patience()
    for (;;) {
      const worker = [...this.#workers.values()].at(-1)
      if (worker) return worker
      if (patience.isOver(null)) throw new Error('There is no worker.')
      await sleep(50)
    }
  }

  #followWorkers(): void {
    const session = this.#session
    const answers = new Map<
      string,
      (message: { result?: unknown; error?: { message: string } }) => void
    >()
    let asked = 0
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type !== 'worker') return
      this.#workers.set(sessionId, (method, params = {}) => {
        const id = ++asked
        const message = JSON.stringify({ id, method, params })
        return new Promise((resolve, reject) => {
          answers.set(`${sessionId} ${id}`, ({ result, error }) =>
            error ? reject(new Error(error.message)) : resolve(result),
          )
          session.send('Target.sendMessageToTarget', { message, sessionId }).catch(reject)
        })
      })
    })
    session.on('Target.detachedFromTarget', ({ sessionId }) => void this.#workers.delete(sessionId))
    session.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => {
      const answer = JSON.parse(message) as { readonly id?: number; readonly result?: unknown }
      const key = `${sessionId} ${answer.id}`
      answers.get(key)?.(answer)
      answers.delete(key)
    })
  }
}

/** Bytes that are in use after garbage collection. Once is not enough: finalizers free more. */
async function collect(send: Send): Promise<number> {
  for (let round = 0; round < 3; round += 1) await send('HeapProfiler.collectGarbage')
  return ((await send('Runtime.getHeapUsage')) as { readonly usedSize: number }).usedSize
}

async function evaluate<Value>(send: Send, expression: string): Promise<Value> {
  const { result } = (await send('Runtime.evaluate', { expression, returnByValue: true })) as {
    readonly result: { readonly value: Value }
  }
  return result.value
}

/** How many objects of a class there are. */
async function alive(send: Send, name: string): Promise<number> {
  const of = (await send('Runtime.evaluate', { expression: `${name}.prototype` })) as {
    readonly result: { readonly objectId: string }
  }
  const found = (await send('Runtime.queryObjects', {
    prototypeObjectId: of.result.objectId,
    objectGroup: 'soak',
  })) as { readonly objects: { readonly objectId: string } }
  const counted = (await send('Runtime.callFunctionOn', {
    objectId: found.objects.objectId,
    functionDeclaration: 'function () { return this.length }',
    returnByValue: true,
  })) as { readonly result: { readonly value: number } }
  await send('Runtime.releaseObjectGroup', { objectGroup: 'soak' })
  return counted.result.value
}
