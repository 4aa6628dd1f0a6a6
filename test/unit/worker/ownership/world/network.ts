import type { TabPort } from '../../../../../src/worker/ownership/tab-channel.ts'
import type { Clock } from './clock.ts'
import type { Process } from './process.ts'

type Listener = (event: MessageEvent<unknown>) => void

interface Port {
  readonly tab: Process
  readonly name: string
  readonly listeners: Listener[]
}

/** How messages fare between tabs. */
export interface Weather {
  /** 0 to 1: the part of the messages that is lost. */
  loss: number
  /** 0 to 1: the part that is delivered twice. */
  repeats: number
  /** Each takes between 1 ms and this long, so they overtake each other. */
  maxDelayMs: number
}

/** The channels of an origin. */
export class Network {
  readonly weather: Weather
  /** Messages that are lost besides. */
  isCut: (from: Process, to: Process) => boolean = () => false
  readonly #clock: Clock
  readonly #random: () => number
  #ports: Port[] = []

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
    this.weather = { loss: 0, repeats: 0, maxDelayMs: 2 }
  }

  open(tab: Process, name: string): TabPort {
    const port: Port = { tab, name, listeners: [] }
    this.#ports.push(port)
    return {
      postMessage: (message) => this.#post(port, message),
      addEventListener: (_type, listener) => void port.listeners.push(listener),
      close: () => {
        this.#ports = this.#ports.filter((each) => each !== port)
      },
    }
  }

  /** The tab is gone, with its channels. */
  terminate(tab: Process): void {
    this.#ports = this.#ports.filter((each) => each.tab !== tab)
  }

  /** Posts a message, as any script of the origin could. */
  inject(name: string, message: unknown): void {
    for (const port of this.#ports) if (port.name === name) this.#deliver(port, message)
  }

  #post(from: Port, message: unknown): void {
    for (const port of this.#ports) {
      if (port === from || port.name !== from.name || this.isCut(from.tab, port.tab)) continue
      if (this.#random() < this.weather.loss) continue
      this.#deliver(port, message)
      if (this.#random() < this.weather.repeats) this.#deliver(port, message)
    }
  }

  #deliver(port: Port, message: unknown): void {
    const data: unknown = structuredClone(message)
    const ms = 1 + Math.floor(this.#random() * this.weather.maxDelayMs)
    this.#clock.after(ms, () =>
      port.tab.task(0, () => {
        if (!this.#ports.includes(port)) return
        for (const listener of port.listeners) listener(new MessageEvent('message', { data }))
      }),
    )
  }
}
