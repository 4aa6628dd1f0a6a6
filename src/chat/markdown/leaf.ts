/** The open block, which takes the text that arrives. */
export interface Leaf {
  /** Adds text to the current line. */
  write(text: string): void
  /** Starts another line, which `write` may extend. False if the line isn't part of this block. */
  line(text: string): boolean
  /** `isOpen`: more text may follow. */
  draw(isOpen: boolean): void
}
