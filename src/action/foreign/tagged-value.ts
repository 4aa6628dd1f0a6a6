import type { LiteralReader } from './literal-reader.ts'
import { Unreadable } from './literal-reader.ts'

/** Maximum number of closers that may appear as text inside a value. */
const maxCandidates = 20

/** End of a value that is raw text between tags. */
export interface ValueEnd {
  /**
   * Global pattern for four kinds of marks, in this order:
   * a closer of the value (group 1: a parameter or the call's end follows it);
   * the call's closer (group 2);
   * the opener of a call that has parameters (group 3);
   * a parameter's opener (group 4: its name).
   */
  readonly marks: RegExp
  /** Whether a parameter may have this name. */
  readonly isName: (name: string) => boolean
}

/**
 * Reads to the value's end (R10): its first closer before a parameter or the call's end, or otherwise its first closer.
 * If no closer precedes them, the next parameter and the call's end also end the value. A value never extends past the
 * opener of another call. Throws `Unreadable`.
 */
export function readTaggedValue(reader: LiteralReader, { marks, isName }: ValueEnd): string {
  const { text, at: start } = reader
  let first: { readonly end: number; readonly next: number } | undefined
  let count = 0
  marks.lastIndex = start
  const end = (at: number, next: number): string => {
    reader.at = next
    return text.slice(start, at)
  }
  for (let found = marks.exec(text); found; found = marks.exec(text)) {
    const [whole, follower, callCloser, call, parameter] = found
    const at = found.index
    if (call !== undefined) break
    if (callCloser === undefined && parameter === undefined) {
      const next = at + whole.length - (follower?.length ?? 0)
      if (follower !== undefined) return end(at, next)
      first ??= { end: at, next }
      if (++count === maxCandidates) break
      marks.lastIndex = next
    } else if (callCloser !== undefined) {
      if (first) break
      return end(at, at)
    } else if (!first && isName(parameter ?? '')) return end(at, at)
  }
  if (!first) throw new Unreadable('cut off')
  return end(first.end, first.next)
}
