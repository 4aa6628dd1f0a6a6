import { checkbox, type Content, type Drawing, link, make, math, picture } from './elements.ts'
import { safeAddress } from './safe-address.ts'

/**
 * Maximum characters between an opening and a closing mark. The limit keeps a growing text from being parsed from its
 * start again.
 */
const MOST_BETWEEN = 2500
/** Number of characters at the end of a growing text that may belong to an incomplete mark: `https://`, `<br />`. */
const UNSETTLED = 12
/** Maximum levels of nested emphasis. Deeper levels are drawn without emphasis. */
const MOST_LEVELS = 12
/** Maximum unclosed emphases that are drawn. */
const MOST_OPEN = 8

export interface InlineOptions {
  /** Offset at which parsing starts. The character before it is context for marks. */
  readonly from: number
  /** True if more text may follow. Unclosed emphasis and code are then drawn as if closed. */
  readonly isOpen: boolean
  /** The first text of a list item, which may be a task. */
  readonly isItem: boolean
}

export interface Inline {
  /** Content that later characters can't change. */
  readonly settled: readonly Content[]
  /** End of the settled content in the source. */
  readonly end: number
  readonly rest: readonly Content[]
}

interface Piece {
  readonly content: Content
  /** End of the piece in the source. Undefined: the text can't be cut there. */
  readonly end?: number
  /** Levels of emphasis within it. */
  readonly levels?: number
  readonly run?: Run
}

/** A run of `*`, `_` or `~` that may open or close emphasis. */
interface Run {
  readonly mark: string
  readonly at: number
  /** Number of characters not used for emphasis yet. */
  count: number
  readonly opens: boolean
  readonly closes: boolean
}

interface Opener {
  readonly run: Run
  /** Index of the run's piece. */
  readonly index: number
}

interface Bracket {
  readonly at: number
  readonly isImage: boolean
  /** Index of the bracket's piece. Negative: the bracket can't open a link, because links don't nest. */
  index: number
}

/**
 * Parses the text of a paragraph, heading or cell by the rules of CommonMark and GFM. Characters are left out only if
 * they are markup of something drawn. Unclosed marks, and links to unsupported addresses, stay text.
 */
export function parseInline(text: string, options: InlineOptions, drawing: Drawing): Inline {
  return new InlineParser(text, options, drawing).parse()
}

/** Matches mathematics, escapes, code, addresses, emphasis marks, opening brackets, line breaks, and unclosed marks. */
const TOKEN =
  /(?<formula>\\\([^]{1,2000}?\\\)|\\\[[^]{1,2000}?\\\]|\$\$[^]{1,2000}?\$\$|(?<![\w$])\$(?![\s\d$])(?:[^$\\]|\\[^]){1,2000}(?<!\s)\$(?![\w$]))|\\(?<escaped>[!-/:-@[-`{-~])|(?<ticks>`{1,99})(?!`)(?<code>[^]{0,2000}?[^`])\k<ticks>(?!`)|(?<!\w)(?<address>https?:\/\/(?:\([^\s<>"`()]{0,99}\)|[^\s<>"`()]){1,2000}(?<![.,:;!?'*_~\]}|\\$]))|(?<run>\*+|_+|~+)|(?<opening>!?\[)|\\?\n|<br\s*\/?>|\]|`+|\$(?![\s\d])/g
/** Matches the end of a growing text if its meaning depends on the next characters. */
const UNDECIDED_END = /(?:[*_~`!\\]+|<(?:br?\s*\/?)?)$/
const DESTINATION =
  /\(\s*(<[^<>\n]*>|(?!<)(?:\\\S|\((?:\\\S|[^\s()\\\p{Cc}])*\)|[^\s()\\\p{Cc}])*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/uy
const HALF_DESTINATION = /\(\s*(?:<[^<>\n]*|(?!<)\S*(?:\s+(?:["'(][^]*)?)?)$/y
const TASK = /\[([ xX])\](?=\s+\S)/y
const PUNCTUATION = /[\p{P}\p{S}]/u
/** Characters beside which punctuation may begin or end emphasis. Some scripts put no spaces between words. */
const LOOSE =
  /[\s\p{P}\p{S}\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]/u

class InlineParser {
  readonly #text: string
  readonly #options: InlineOptions
  readonly #drawing: Drawing
  #at: number
  readonly #pieces: Piece[] = []
  readonly #brackets: Bracket[] = []
  /** Position of the first construct that later text may complete. */
  #unfinished = Infinity

  constructor(text: string, options: InlineOptions, drawing: Drawing) {
    this.#text = options.isOpen ? text.replace(UNDECIDED_END, '') : text
    this.#options = options
    this.#drawing = drawing
    this.#at = options.from
  }

  parse(): Inline {
    const text = this.#text
    const task = this.#options.isItem && this.#at === 0 && match(TASK, text, 0)
    if (task) this.#add(checkbox(task[1] !== ' ', this.#drawing), 3)
    for (;;) {
      const found = match(TOKEN, text, this.#at)
      const end = found?.index ?? text.length
      // Splits the text before its last characters, which may change as the text grows.
      for (const stop of [Math.min(end, text.length - UNSETTLED), end])
        if (stop > this.#at) this.#add(text.slice(this.#at, stop), stop)
      if (!found) return this.#finish()
      this.#drawToken(found[0], found.groups ?? {})
    }
  }

  #add(content: Content, end: number): void {
    this.#pieces.push({ content, end })
    this.#at = end
  }

  /** Whether later text may complete a construct that begins at this offset. */
  #isUnfinished(at: number): boolean {
    const isUnfinished = this.#options.isOpen && this.#text.length - at <= MOST_BETWEEN
    if (isUnfinished) this.#unfinished = Math.min(this.#unfinished, at)
    return isUnfinished
  }

  #drawToken(
    whole: string,
    { formula, escaped, code, address, run, opening }: Readonly<Record<string, string | undefined>>,
  ): void {
    const at = this.#at
    const end = at + whole.length
    if (formula) this.#add(math(make('span', 'math'), formula, this.#drawing), end)
    else if (code) this.#addCode(code, end)
    else if (address) {
      const url = safeAddress(address)
      this.#add(url ? link(url, [address]) : address, end)
    } else if (run) this.#addRun(run, end)
    else if (whole === ']') this.#close(end)
    else if (opening) {
      const index = this.#pieces.length
      this.#brackets.push({ at, index, isImage: opening !== '[' })
      this.#add(opening, end)
    } else if (/\n|^</.test(whole)) this.#add(make('br'), end)
    else if (whole.startsWith('`') && this.#isUnfinished(at))
      this.#addCode(this.#text.slice(end), this.#text.length)
    else {
      if (/^(?:\$|\\[([])$/.test(whole)) this.#isUnfinished(at)
      this.#add(escaped ?? whole, end)
    }
  }

  #addCode(text: string, end: number): void {
    this.#add(make('code', '', text.trim() || text), end)
  }

  #addRun(content: string, end: number): void {
    const at = this.#at
    if (content.startsWith('~') && content !== '~~') return this.#add(content, end)
    const before = this.#text[at - 1] ?? ' '
    const after = this.#text[end] ?? ' '
    const isLeft = /\S/.test(after) && (!PUNCTUATION.test(after) || LOOSE.test(before))
    const isRight = /\S/.test(before) && (!PUNCTUATION.test(before) || LOOSE.test(after))
    const isWithin = content.startsWith('_') && isLeft && isRight
    const run = {
      mark: content.charAt(0),
      at,
      count: content.length,
      opens: isLeft && (!isWithin || PUNCTUATION.test(before)),
      closes: isRight && (!isWithin || PUNCTUATION.test(after)),
    }
    this.#pieces.push({ content, run })
    this.#at = end
  }

  #close(from: number): void {
    const text = this.#text
    const bracket = this.#brackets.pop()
    if (!bracket || bracket.index < 0) return this.#add(']', from)
    const found = match(DESTINATION, text, from)
    if (found && from + found[0].length - bracket.at <= MOST_BETWEEN)
      return this.#addLink(bracket, found)
    const isHalf = match(HALF_DESTINATION, text, from) !== null
    const isUnfinished = (isHalf || from === text.length) && this.#isUnfinished(bracket.at)
    if (!isHalf || !isUnfinished || text.includes('\n', from)) return this.#add(']', from)
    // Draws the text without the address until the address is complete.
    this.#pieces.splice(bracket.index, 1)
    this.#at = text.length
  }

  #addLink({ index, isImage }: Bracket, found: RegExpExecArray): void {
    const end = this.#at + 1 + found[0].length
    const [opening, ...within] = this.#pieces.splice(index)
    const contents = emphasized(within).pieces.map(contentOf)
    const url = safeAddress((found[1] ?? '').replace(/^<|>$|\\(?=[!-/:-@[-`{-~])/g, ''))
    if (!isImage) for (const each of this.#brackets) if (!each.isImage) each.index = -1
    if (url && isImage && url.protocol !== 'mailto:')
      this.#add(picture(url, make('span', '', ...contents).textContent ?? '', this.#drawing), end)
    else if (url && !isImage) this.#add(link(url, contents), end)
    else
      for (const content of [opening?.content ?? '', ...contents, `]${found[0]}`])
        this.#add(content, end)
  }

  #finish(): Inline {
    const { pieces, openers } = emphasized(this.#pieces)
    const unclosed = openers.filter(({ run }) => this.#isUnfinished(run.at))
    for (const { at, index } of this.#brackets) if (index >= 0) this.#isUnfinished(at)
    for (const { run } of unclosed.slice(-MOST_OPEN).toReversed())
      while (run.count > 0) wrap(pieces, openers, Math.min(2, run.count))
    const { from, isOpen } = this.#options
    const cut = isOpen ? Math.min(this.#text.length - UNSETTLED, this.#unfinished) : Infinity
    const index = pieces.findLastIndex(({ end = Infinity }) => end <= cut) + 1
    const contents = pieces.map(contentOf)
    return {
      settled: contents.slice(0, index),
      end: pieces[index - 1]?.end ?? from,
      rest: contents.slice(index),
    }
  }
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function contentOf({ content, run }: Piece): Content {
  return run ? run.mark.repeat(run.count) : content
}

/** Wraps the pieces between matching runs of `*`, `_` or `~` in emphasis. Also returns the runs that are still open. */
function emphasized(parsed: readonly Piece[]): { pieces: Piece[]; openers: Opener[] } {
  const pieces: Piece[] = []
  const openers: Opener[] = []
  for (const piece of parsed) {
    const { run } = piece
    while (run?.closes && run.count > 0) {
      const opener = openers.findLast((each) => isPair(each.run, run))?.run
      if (!opener) break
      while (openers.at(-1)?.run !== opener) openers.pop()
      const size = Math.min(2, run.count, opener.count)
      run.count -= size
      wrap(pieces, openers, size)
    }
    if (run?.count === 0) continue
    if (run?.opens) openers.push({ run, index: pieces.length })
    pieces.push(piece)
  }
  return { pieces, openers }
}

function isPair(opener: Run, closer: Run): boolean {
  if (opener.mark !== closer.mark || closer.at - opener.at > MOST_BETWEEN) return false
  const isEither = opener.closes || closer.opens
  return !isEither || closer.count % 3 === 0 || (opener.count + closer.count) % 3 !== 0
}

/** Wraps everything after the last opener in emphasis. */
function wrap(pieces: Piece[], openers: Opener[], size: number): void {
  const opener = openers.at(-1)
  if (!opener) return
  const { run, index } = opener
  const within = pieces.splice(index + 1)
  const levels = 1 + Math.max(0, ...within.map((piece) => piece.levels ?? 0))
  run.count -= size
  if (run.count === 0) {
    pieces.pop()
    openers.pop()
  }
  const tag = run.mark === '~' ? 's' : size === 2 ? 'strong' : 'em'
  if (levels > MOST_LEVELS) pieces.push(...within)
  else pieces.push({ content: make(tag, '', ...within.map(contentOf)), levels })
}
