import type { PageTool } from './page-tool.ts'

/** A tool of the page that the agent has. */
export class Offer {
  readonly tool: PageTool
  /** False: the page has it no longer, or no longer like this. */
  isWanted = true
  /** Takes it from the agent. */
  undo: () => void = () => {}
  readonly #onIdle: () => void
  #calls = 0

  constructor(tool: PageTool, onIdle: () => void) {
    this.tool = tool
    this.#onIdle = onIdle
  }

  /** A call is under way, which would be stopped with its tool: many tools change or go by what they do. */
  get isBusy(): boolean {
    return this.#calls > 0
  }

  readonly available = (): boolean => this.isWanted

  readonly during = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    this.#calls += 1
    try {
      return await call()
    } finally {
      this.#calls -= 1
      // Once the agent has the result.
      if (!this.isBusy) setTimeout(this.#onIdle)
    }
  }
}
