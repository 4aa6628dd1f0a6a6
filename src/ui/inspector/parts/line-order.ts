type Fields = Readonly<Record<string, unknown>>

/** Checks that lines have the order in which an export writes them (docs/format.md). Finds omissions and insertions. */
export class LineOrder {
  #conversations = 0
  #isOpen = false
  #isOver = false

  /** Returns the problem with a line after the first; null if there is none. */
  take(fields: Fields | null): string | null {
    if (fields === null) return null
    if (this.#isOver) return 'The file is damaged, or was changed: it has lines after its end.'
    if ('conversation' in fields) {
      const wasOpen = this.#isOpen
      this.#isOpen = true
      this.#conversations += 1
      return wasOpen ? NO_END : null
    }
    if ('row' in fields) return this.#isOpen ? null : STRAY
    if ('end' in fields) {
      const wasOpen = this.#isOpen
      this.#isOpen = false
      return wasOpen ? null : STRAY
    }
    if ('conversations' in fields) {
      this.#isOver = true
      if (this.#isOpen) return NO_END
      return fields['conversations'] === this.#conversations
        ? null
        : 'The file is damaged, or was changed: its number of conversations is wrong.'
    }
    return 'The file is damaged, or was changed: it has an unknown kind of line.'
  }

  /** Returns what is missing after the last line; null if nothing is. */
  end(): string | null {
    return this.#isOver ? null : 'The file is cut off.'
  }
}

const NO_END = 'The file is damaged, or was changed: the end of a conversation is missing.'
const STRAY = 'The file is damaged, or was changed: some rows belong to no conversation.'
