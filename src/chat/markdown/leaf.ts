/** The block that text is written into. */
export interface Leaf {
  /** More of its line. */
  write(text: string): void
  /** Another line, of which `write` may bring more. False: the line does not belong to it. */
  line(text: string): boolean
  /** `isOpen`: more may come. */
  draw(isOpen: boolean): void
}
