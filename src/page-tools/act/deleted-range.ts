/** Of a text with a selection, or a caret where both are the same. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** What a key deletes of a text: the selection, else what is before or behind the caret; null: there is nothing. */
export function deletedRange(
  { start, end }: TextRange,
  length: number,
  key: 'Backspace' | 'Delete',
): TextRange | null {
  if (start !== end) return { start, end }
  const from = key === 'Backspace' ? start - 1 : start
  return from < 0 || from >= length ? null : { start: from, end: from + 1 }
}
