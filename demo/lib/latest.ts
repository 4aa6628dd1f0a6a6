/** Work of which only the newest counts: to start it aborts what was started before. */
export class Latest {
  #controller: AbortController | undefined

  start(): AbortSignal {
    this.stop()
    this.#controller = new AbortController()
    return this.#controller.signal
  }

  stop(): void {
    this.#controller?.abort()
  }
}
