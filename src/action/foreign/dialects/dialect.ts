import type { CallsRead } from '../../block-reader.ts'
import type { ToolIndex } from '../../tool-index.ts'
import type { LiteralReader } from '../literal-reader.ts'

/** A format of calls that a marker opens: all that is known about it. */
export interface Dialect {
  /**
   * What opens a call or a list of them, as it is written; and the closer up to which its body is content while
   * it streams. Without one, brackets end it.
   */
  readonly openers: readonly (readonly [opener: string, closer?: string])[]
  /** The openers are marks in tags: the first tag's name follows, and stands in the closer, too. */
  readonly isMark?: true
  /** What must follow an opener that people also write about: only then is it one. */
  readonly after?: () => Continuation
  /** What closes it, too. */
  readonly closers?: readonly string[]
  /** Reads one section. The reader stands after the opener. Throws `Unreadable`. */
  read(section: Section): CallsRead
}

/** Tested on the text right after an opener. `partial`: more text may make it whole. */
export interface Continuation {
  readonly whole: RegExp
  readonly partial: RegExp
}

/** A section that is being read. */
export interface Section {
  readonly reader: LiteralReader
  readonly index: ToolIndex
  /** Where the opener starts. */
  readonly start: number
  readonly opener: string
  /** Reads the section that begins where the reader stands; undefined when none does. */
  inner(): CallsRead | undefined
}

/** The name in an opening tag without attributes: `<name>`. */
export function tagOf(opener: string): string | undefined {
  return /^<([\w:-]+)>$/.exec(opener)?.[1]
}
