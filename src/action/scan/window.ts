/** The text that is held back, with the scan's position in it. */
export class Window {
  text = ''
  at = 0
  /** Openers before this position are known to be text. */
  plainUntil = 0

  /** Code of the next character; undefined at the end of the text. */
  get code(): number | undefined {
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : undefined
  }

  push(piece: string): void {
    this.text += piece
  }

  /** Removes the text before a position and returns it. */
  cut(until: number): string {
    const text = this.text.slice(0, until)
    this.text = this.text.slice(until)
    this.at = Math.max(0, this.at - until)
    this.plainUntil = Math.max(0, this.plainUntil - until)
    return text
  }

  /** Puts text back to be read again, but not for openers. */
  unread(text: string, rest: string): void {
    this.text = text + rest
    this.at = 0
    this.plainUntil = text.length
  }
}
