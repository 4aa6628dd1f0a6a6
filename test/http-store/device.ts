import path from 'node:path'
import { Worker } from 'node:worker_threads'

/** The state of the conversation as a device shows it. */
export interface DeviceState {
  /** Runs that it holds and that have not ended. */
  readonly open: number
  readonly status: 'loading' | 'idle' | 'running' | 'waiting'
  readonly ownership: 'none' | 'this-tab' | 'other-tab' | 'other-device'
  readonly paused: unknown
  readonly pending: number
}

export interface DeviceData {
  readonly url: string
  readonly tenant: string
  readonly name: string
  readonly seed: number
  readonly clockMs: number
}

/** Reports of all devices of a trial, also of those that crashed. */
export interface Log {
  readonly effects: string[]
  readonly completed: string[]
  readonly errors: string[]
}

interface Report {
  readonly trial?: number
  readonly id?: number
  readonly value?: unknown
  readonly refused?: string
  readonly effect?: string
  readonly ended?: string
  readonly outcome?: string
}

/** Threads that wait for their next trial: each takes a fifth of a second to start. */
const spare: DeviceThread[] = []
let mounted = 0

/** Ends the threads that are left. */
export async function closeSpareDevices(): Promise<void> {
  await Promise.all(spare.splice(0).map((thread) => thread.end()))
}

class DeviceThread {
  readonly #thread = new Worker(path.join(import.meta.dirname, 'device.mjs'))
  readonly #answers = new Map<number, (value: unknown) => void>()
  #asked = 0
  /** Called with reports of the trial that is mounted. */
  onReport: (report: Report) => void = () => undefined
  onError: (error: Error) => void = () => undefined
  isOver = false

  constructor() {
    this.#thread.on('message', (report: Report) => {
      const { id, value, refused } = report
      if (id === undefined) return this.onReport(report)
      this.#answers.get(id)?.(refused ?? value)
      this.#answers.delete(id)
    })
    this.#thread.on('error', (error) => {
      this.onError(error)
      this.#isGone()
    })
  }

  ask(act: string, value?: unknown): Promise<unknown> {
    return new Promise((resolve) => {
      if (this.isOver) return resolve(null)
      this.#asked += 1
      this.#answers.set(this.#asked, resolve)
      this.#thread.postMessage({ id: this.#asked, act, value })
    })
  }

  /** Reports that were sent before still arrive. */
  async end(): Promise<void> {
    await this.#thread.terminate()
    this.#isGone()
  }

  #isGone(): void {
    this.isOver = true
    for (const resolve of this.#answers.values()) resolve(null)
    this.#answers.clear()
  }
}

/** A device of a trial, in a thread of its own, which can end at any moment. */
export class Device {
  readonly #thread: DeviceThread

  constructor(data: DeviceData, log: Log) {
    const thread = spare.pop() ?? new DeviceThread()
    const number = (mounted += 1)
    thread.onReport = ({ trial, effect, ended, outcome }) => {
      // A page of an earlier trial may still report.
      if (trial !== number) return
      if (effect !== undefined) log.effects.push(effect)
      if (ended !== undefined && outcome === 'completed') log.completed.push(ended)
    }
    thread.onError = (error) => log.errors.push(String(error.stack ?? error))
    void thread.ask('mount', { ...data, number })
    this.#thread = thread
  }

  /** Resolves to what the act returns, or to the code by which it was refused; null from a device that is gone. */
  ask(act: string, text?: string): Promise<unknown> {
    return this.#thread.ask(act, text)
  }

  async state(): Promise<DeviceState> {
    return (await this.ask('state')) as DeviceState
  }

  crash(): Promise<void> {
    return this.#thread.end()
  }

  async close(): Promise<void> {
    await this.ask('unmount')
    if (!this.#thread.isOver) spare.push(this.#thread)
  }
}
