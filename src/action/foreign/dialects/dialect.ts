import type { CallsRead } from '../../block-reader.ts'
import type { ToolIndex } from '../../tool-index.ts'
import type { LiteralReader } from '../literal-reader.ts'

/** A call format with a marker, and everything specific to it. */
export interface Dialect {
  /**
   * Openers of a call or a list of calls, as written. While the text streams, all text up to the closer is content.
   * Without a closer, brackets end it.
   */
  readonly openers: readonly (readonly [opener: string, closer?: string])[]
  /** The openers are marks in tags: the first tag's name follows, and is part of the closer, too. */
  readonly isMark?: true
  /** Required text after an opener that people write, too. Without that text it isn't an opener. */
  readonly after?: () => Continuation
  /** Additional closers. */
  readonly closers?: readonly string[]
  /** Reads one section. The reader is after the opener. Throws `Unreadable`. */
  read(section: Section): CallsRead
}

/** Tests the text right after an opener. `partial`: more text may complete it. */
export interface Continuation {
  readonly whole: RegExp
  readonly partial: RegExp
}

/** A section being read. */
export interface Section {
  readonly reader: LiteralReader
  readonly index: ToolIndex
  /** Start of the opener. */
  readonly start: number
  readonly opener: string
  /** Reads a nested section at the reader's position; undefined if there is none. */
  inner(): CallsRead | undefined
}

/** Returns the name in an opening tag without attributes: `<name>`. */
export function tagOf(opener: string): string | undefined {
  return /^<([\w:-]+)>$/.exec(opener)?.[1]
}
