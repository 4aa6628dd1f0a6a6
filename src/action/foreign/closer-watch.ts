import { moreThan } from '../char-codes.ts'

const cdata = '<![CDATA['

/** Detects a text outside of CDATA as its characters pass. */
export class CloserWatch {
  readonly #wanted: string
  #matched = 0
  /** How much of the opener of CDATA was read. */
  #cdata = 0
  /** Closing brackets right before. */
  #brackets = 0

  constructor(wanted: string) {
    this.#wanted = wanted
  }

  get seen(): boolean {
    return this.#matched === this.#wanted.length
  }

  feed(code: number): void {
    if (this.seen) return
    if (this.#cdata < cdata.length) {
      this.#matched = progress(this.#wanted, this.#matched, code)
      this.#cdata = progress(cdata, this.#cdata, code)
    } else if (code === moreThan && this.#brackets >= 2) this.#cdata = 0
    this.#brackets = code === 93 ? this.#brackets + 1 : 0
  }
}

/** How much of a text was read, after one more character. */
function progress(text: string, matched: number, code: number): number {
  if (code === text.charCodeAt(matched)) return matched + 1
  return code === text.charCodeAt(0) ? 1 : 0
}
