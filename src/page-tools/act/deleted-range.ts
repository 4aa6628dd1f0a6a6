/** A selection in a text. For a caret, both ends are equal. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** The range that a key deletes: the selection, else the character before or after the caret. Null if there is none. */
export function deletedRange(
  { start, end }: TextRange,
  length: number,
  key: 'Backspace' | 'Delete',
): TextRange | null {
  if (start !== end) return { start, end }
  const from = key === 'Backspace' ? start - 1 : start
  return from < 0 || from >= length ? null : { start: from, end: from + 1 }
}
