/** The lines of a front matter, read one after the other. */
export class Lines {
  readonly #lines: readonly string[]
  #at = 0

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  /** Index of the next line, from 0. */
  get at(): number {
    return this.#at
  }

  /** The next line; undefined at the end. */
  get next(): string | undefined {
    return this.#lines[this.#at]
  }

  take(): string {
    return this.#lines[this.#at++] ?? ''
  }

  skipEmpty(): void {
    while (this.next !== undefined && isEmpty(this.next)) this.#at++
  }

  /** Whether the next line is blank or indented by more than `indent`. */
  isWithin(indent: number): boolean {
    return this.next !== undefined && (isBlank(this.next) || indentOf(this.next) > indent)
  }

  skipWithin(indent: number): void {
    while (this.isWithin(indent)) this.#at++
  }
}

/** Number of leading spaces. Tabs don't count as indentation. */
export function indentOf(line: string): number {
  return line.search(/[^ ]|$/)
}

export function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line)
}

/** Whether the line is blank or has only a comment. */
export function isEmpty(line: string): boolean {
  return /^[ \t]*(#.*)?$/.test(line)
}
