import * as smd from 'streaming-markdown'

/** Its parser keeps the open elements in arrays of 24, and loses count beyond: levels are left out long before. */
const MOST_LEVELS = 16
/** Of a quotation within a quotation. */
const MOST_QUOTES = 6
/** In front of a line: what would open lists within lists beyond what people can see. */
const MOST_INDENT = 16

export interface MarkdownParser {
  /** The next part of the text, of any length. */
  write(text: string): void
  /** The text is whole. */
  end(): void
}

/**
 * The parser of streaming-markdown, with what it lacks: an underscore within a word is one, and what is nested beyond all
 * sense stays flat. The newest character is held back, since the next one may say what it is.
 */
export function guardedParser<Data>(renderer: smd.Renderer<Data>): MarkdownParser {
  const parser = smd.parser(renderer)
  let before = '\n'
  let beforeRun = '\n'
  let held = ''
  let indent = 0

  const feed = (character: string, after: string): void => {
    if (character !== before) beforeRun = before
    const written = guarded(parser, { before, beforeRun, character, after, indent })
    indent = indentAfter(indent, before, character)
    before = character
    if (written !== '') smd.parser_write(parser, written)
  }
  return {
    write(text) {
      let plain = ''
      for (const character of text) {
        if (held !== '') {
          if (isPlain(held, before)) {
            plain += held
            indent = indentAfter(indent, before, held)
            before = held
          } else {
            if (plain !== '') smd.parser_write(parser, plain)
            plain = ''
            feed(held, character)
          }
        }
        held = character
      }
      if (plain !== '') smd.parser_write(parser, plain)
    },
    end() {
      if (held !== '') feed(held, '\n')
      held = ''
      smd.parser_end(parser)
    },
  }
}

interface Place {
  readonly before: string
  /** Before all characters of the same kind. */
  readonly beforeRun: string
  readonly character: string
  readonly after: string
  /** Of the line so far, while it is nothing but spaces; else -1. */
  readonly indent: number
}

/** Characters that open something, or whose meaning hangs on their neighbours. */
const SPECIAL = /[_*>[!`~\s$\\|<#+\-\d]/

function isPlain(character: string, before: string): boolean {
  return before !== '\n' && !SPECIAL.test(character)
}

function indentAfter(indent: number, before: string, character: string): number {
  const begun = before === '\n' ? 0 : indent
  if (character === ' ') return begun < 0 ? -1 : begun + 1
  if (character === '\t') return begun < 0 ? -1 : begun + 4
  return character === '\n' ? 0 : -1
}

const WORD = /[\p{L}\p{N}]/u

/** What is written in a character's place: itself, itself as a plain one, or nothing. */
function guarded(parser: smd.Parser, place: Place): string {
  const { before, beforeRun, character, after, indent } = place
  if (isVerbatim(parser)) return character
  const escaped = before === '\\' ? character : `\\${character}`
  const isDeep = parser.len >= MOST_LEVELS
  switch (character) {
    case '_':
      return isDeep || isWithinWord(parser, beforeRun, after) ? escaped : character
    case '*':
    case '[':
    case '`':
    case '$':
      return isDeep ? escaped : character
    case '>':
      return parser.blockquote_idx >= MOST_QUOTES && isAtStart(parser) ? '' : character
    case ' ':
    case '\t':
      return indent >= MOST_INDENT ? '' : character
    default:
      return character
  }
}

/** Behind a letter an underscore opens nothing; it may close what another one has opened, unless a letter follows. */
function isWithinWord({ tokens, len }: smd.Parser, beforeRun: string, after: string): boolean {
  if (!WORD.test(beforeRun)) return false
  const open = tokens.subarray(0, len + 1)
  const isOpen = open.includes(smd.ITALIC_UND) || open.includes(smd.STRONG_UND)
  return !isOpen || WORD.test(after)
}

/** Within code, an address or mathematics, where everything stands for itself. */
function isVerbatim({ token, tokens, len, pending }: smd.Parser): boolean {
  const open = tokens[len]
  if (open === smd.CODE_FENCE || open === smd.CODE_BLOCK || open === smd.CODE_INLINE) return true
  if (open === smd.EQUATION_BLOCK || open === smd.EQUATION_INLINE) return true
  if (token === smd.RAW_URL || token === smd.MAYBE_URL) return true
  return (open === smd.LINK || open === smd.IMAGE) && pending.startsWith('](')
}

function isAtStart({ token }: smd.Parser): boolean {
  return token === smd.DOCUMENT || token === smd.BLOCKQUOTE || token === smd.LINE_BREAK
}
