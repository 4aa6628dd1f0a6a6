import { dash, isInvisible, lessThan, moreThan, newline, space, tab } from './char-codes.ts'
import { resultTags } from './made-up.ts'

/** Paired quotation marks: each opener with its possible closers. */
const pairs: ReadonlyMap<string, string> = new Map([
  ['“', '”'],
  // Many keyboards close German quotations with a straight quotation mark.
  ['„', '“”"'],
  ['‚', '‘’'],
  ['«', '»'],
  ['»', '«'],
  ['‹', '›'],
  ['›', '‹'],
  ['「', '」'],
  ['『', '』'],
])
/**
 * Marks that often aren't quotations. Their quotations end with the paragraph, those of the short marks with the line.
 */
const looseMarks = '"\'`‘'
const shortMarks = "'`‘"

/** Elements that contain preformatted text, quotations or a tool's output. */
const quotingTags: ReadonlySet<string> = new Set([
  'pre',
  'code',
  'blockquote',
  'q',
  'samp',
  'xmp',
  'textarea',
  'details',
  ...resultTags,
])
const listItem = /^(?:[-*+•]|\d{1,9}[.)])(?:\s|$)/

/**
 * Tracks prose character by character, to know whether a call that begins here would be quoted (Q2). Fenced code is
 * left to `CodeTracker`.
 */
export class QuotationTracker {
  /** Columns before the first character of the line. */
  #indent = 0
  /** First characters of the line, which decide its kind. */
  #head = ''
  #list = false
  #blockquote = false
  /** Names of the open HTML elements that quote their content. */
  #elements: readonly string[] = []
  /** Number of open elements when the newest quoted call began. */
  #callDepth = 0
  /** The only reason why the newest quoted call counts as quoted: it began inside a line. */
  #isInline = false
  /** A call quoted only for that reason has just ended. A call directly after it is also quoted. */
  #isAfterInline = false
  /** The paragraph contains a quoted control token. */
  #quotesToken = false
  /** Only the control token was written since, so its quoted call continues in the next paragraph. */
  #tokenIsLast = false
  #comment = false
  /** Tag or comment delimiter being read. */
  #tag = ''
  /** Possible closers of the open quotation; empty if none is open. */
  #closers = ''
  #opener = ''
  /** The last visible character opened the quotation. */
  #justOpened = false
  #afterBlank = false
  #last = space

  /** A sentence ended directly before, on this line. */
  get endsSentence(): boolean {
    return this.#head !== '' && /[.!?…。！？]/.test(String.fromCharCode(this.#last))
  }

  /**
   * Returns whether text that begins here, after white space, is quoted. A line right after a blockquote continues the
   * blockquote (CommonMark's lazy continuation). A line right after a list item is the model's own: models write their
   * call there, after a plan in items.
   */
  get isQuoted(): boolean {
    return this.#isAfterInline || (!this.#afterBlank && this.#blockquote) || this.quotesFrames
  }

  /** Returns whether control tokens that begin here are quoted. A token right after a list or a blockquote isn't. */
  get quotesFrames(): boolean {
    const isMarked = /^[>|]/.test(this.#head) || listItem.test(this.#head)
    const isOpen = this.#closers !== '' && (!this.#afterBlank || this.#isLasting)
    const isInside = this.#comment || this.#quotesToken || this.#elements.length > 0
    return isMarked || this.#indent >= 4 || (this.#list && this.#indent > 0) || isOpen || isInside
  }

  /** Starts a quoted call, which extends to its closing tag or to the end of the paragraph. */
  quoteCall(tag: string | undefined): void {
    if (!this.#isInCall) this.#isInline = this.#isAfterInline || !this.isQuoted
    if (tag === undefined) this.#quotesToken = this.#tokenIsLast = true
    else this.#elements = [...this.#elements, tag.toLowerCase()].slice(-50)
    this.#callDepth = this.#elements.length
  }

  feed(code: number): void {
    if (isInvisible(code)) return
    if (code === newline) return this.#endLine()
    if (code <= space || code === 0xa0) {
      if (this.#head === '') this.#indent += code === tab ? 4 - (this.#indent % 4) : 1
      else this.#extendHead(code)
      if (this.#tag !== '') this.#endTag()
      this.#last = space
      return
    }
    if (this.#head === '' && this.#afterBlank) this.#beginParagraph()
    this.#extendHead(code)
    if (!this.#followTag(code)) {
      this.#isAfterInline = false
      this.#tokenIsLast &&= this.#closers === '`'
      if (!this.#isInCall) this.#followQuote(code)
    }
    this.#last = code
  }

  clone(): QuotationTracker {
    const copy = new QuotationTracker()
    copy.#indent = this.#indent
    copy.#head = this.#head
    copy.#list = this.#list
    copy.#blockquote = this.#blockquote
    copy.#elements = this.#elements
    copy.#callDepth = this.#callDepth
    copy.#isInline = this.#isInline
    copy.#isAfterInline = this.#isAfterInline
    copy.#quotesToken = this.#quotesToken
    copy.#tokenIsLast = this.#tokenIsLast
    copy.#comment = this.#comment
    copy.#tag = this.#tag
    copy.#closers = this.#closers
    copy.#opener = this.#opener
    copy.#justOpened = this.#justOpened
    copy.#afterBlank = this.#afterBlank
    copy.#last = this.#last
    return copy
  }

  get #isInCall(): boolean {
    return this.#callDepth > 0 && this.#elements.length >= this.#callDepth
  }

  /** The quotation continues after a blank line, because its marks are paired or because it was just opened. */
  get #isLasting(): boolean {
    return this.#justOpened || !looseMarks.includes(this.#opener)
  }

  #beginParagraph(): void {
    if (!this.#isLasting) this.#closers = ''
    this.#blockquote = false
    if (this.#indent === 0) this.#list = false
    this.#quotesToken &&= this.#tokenIsLast
    this.#afterBlank = false
  }

  #extendHead(code: number): void {
    if (this.#head.length < 12) this.#head += String.fromCharCode(code)
  }

  #endLine(): void {
    if (this.#elements.length < this.#callDepth) this.#callDepth = 0
    if (this.#tag !== '') this.#endTag()
    if (this.#head === '') this.#afterBlank = true
    else {
      this.#afterBlank = false
      if (this.#head.startsWith('>')) this.#blockquote = true
      if (listItem.test(this.#head)) this.#list = true
    }
    const isShort = shortMarks.includes(this.#opener)
    if (isShort && (!this.#justOpened || this.#head.startsWith('```'))) this.#closers = ''
    this.#head = ''
    this.#indent = 0
    this.#last = newline
  }

  /** Returns true while the character belongs to a tag. */
  #followTag(code: number): boolean {
    if (this.#closers === '`') return false
    if (code === lessThan) {
      this.#tag = '<'
      this.#justOpened = false
      return true
    }
    if (this.#tag === '') {
      if (code === moreThan && this.#comment && this.#last === dash) this.#comment = false
      return false
    }
    this.#tag += String.fromCharCode(code)
    if (this.#tag === '<!--') {
      this.#comment = true
      this.#tag = ''
    } else if (code === moreThan || this.#tag.length > 24) this.#endTag()
    return true
  }

  #endTag(): void {
    const [, slash, tagName = ''] = /^<(\/?)([\w:-]+)/.exec(this.#tag) ?? []
    this.#tag = ''
    const name = tagName.toLowerCase()
    if (slash === '/') {
      const at = this.#elements.lastIndexOf(name)
      if (at >= 0) this.#elements = this.#elements.toSpliced(at, 1)
      if (this.#elements.length < this.#callDepth) this.#isAfterInline = this.#isInline
    } else if (quotingTags.has(name)) this.#elements = [...this.#elements, name].slice(-50)
  }

  #followQuote(code: number): void {
    const mark = String.fromCharCode(code)
    if (this.#closers !== '') {
      this.#justOpened = false
      if (this.#closers.includes(mark)) this.#closers = ''
      return
    }
    const closers = pairs.get(mark) ?? this.#plainClosers(mark)
    if (closers === '') return
    this.#closers = closers
    this.#opener = mark
    this.#justOpened = true
  }

  /** Plain marks open a quotation only at the beginning of a word. Elsewhere they are apostrophes or inch signs. */
  #plainClosers(mark: string): string {
    if (!looseMarks.includes(mark)) return ''
    const before = String.fromCharCode(this.#last)
    if (this.#last > space && !/[([{:>,=*_—–-]/.test(before)) return ''
    return mark === '‘' ? '’' : mark
  }
}
