/** The text that is held back, and how far the scan has come in it. */
export class Window {
  text = ''
  at = 0
  /** Openers before this position were found to be text. */
  plainUntil = 0

  /** The character that is next; undefined when all was read. */
  get code(): number | undefined {
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : undefined
  }

  push(piece: string): void {
    this.text += piece
  }

  /** Removes what stands before a position, and returns it. */
  cut(until: number): string {
    const text = this.text.slice(0, until)
    this.text = this.text.slice(until)
    this.at = Math.max(0, this.at - until)
    this.plainUntil = Math.max(0, this.plainUntil - until)
    return text
  }

  /** Text that was taken is read again, but for its openers. */
  unread(text: string, rest: string): void {
    this.text = text + rest
    this.at = 0
    this.plainUntil = text.length
  }
}
