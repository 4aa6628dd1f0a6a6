import type { LiteralReader } from './literal-reader.ts'
import { Unreadable } from './literal-reader.ts'

/** Closers that may stand inside a value, as text, at most. */
const maxCandidates = 20

/** What ends a value that is raw text between tags. */
export interface ValueEnd {
  /**
   * Finds, globally: a closer of the value (group 1: a parameter or the call's end follows it); the call's
   * closer (group 2); the opener of a call that has parameters (group 3); a parameter's (group 4: its name).
   */
  readonly marks: RegExp
  /** Whether a parameter may have this name. */
  readonly isName: (name: string) => boolean
}

/**
 * Reads on to the value's end (R10): its first closer that a parameter or the call's end follows; failing
 * that, its first closer. Without one before them, the next parameter and the call's end close it, too.
 * What another call begins after is no part of it. Throws `Unreadable`.
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
