import { moreThan } from '../char-codes.ts'

const cdata = '<![CDATA['

/** Detects a text outside CDATA, one character at a time. */
export class CloserWatch {
  readonly #wanted: string
  #matched = 0
  /** Characters of the CDATA opener read so far. */
  #cdata = 0
  /** Number of closing brackets directly before the current character. */
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

/** Number of the text's characters that match, after one more character. */
function progress(text: string, matched: number, code: number): number {
  if (code === text.charCodeAt(matched)) return matched + 1
  return code === text.charCodeAt(0) ? 1 : 0
}
