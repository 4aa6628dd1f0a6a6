import { dash, isInvisible, lessThan, moreThan, newline, space, tab } from './char-codes.ts'
import { resultTags } from './made-up.ts'

/** Quotation marks that come in pairs: what may close each opener. */
const pairs: ReadonlyMap<string, string> = new Map([
  ['“', '”'],
  // On many keyboards German quotations end with a plain mark.
  ['„', '“”"'],
  ['‚', '‘’'],
  ['«', '»'],
  ['»', '«'],
  ['‹', '›'],
  ['›', '‹'],
  ['「', '」'],
  ['『', '』'],
])
/** Marks that are often no quotation: these end with the paragraph, and the short ones with the line. */
const looseMarks = '"\'`‘'
const shortMarks = "'`‘"

/** Elements whose content is preformatted, quoted or a tool's. */
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
 * Follows prose character by character and knows whether a call that begins here would be quoted (Q2).
 * Fenced code is left out: `CodeTracker` follows it.
 */
export class QuotationTracker {
  /** Columns before the first character of the line. */
  #indent = 0
  /** The first characters of the line, which decide its kind. */
  #head = ''
  #list = false
  #blockquote = false
  /** Elements that quote, and are open. */
  #elements: readonly string[] = []
  /** How many of them are open while the newest quoted call is. */
  #callDepth = 0
  /** The newest quoted call is one only because it stands inside a line. */
  #isInline = false
  /** Such a call ended right before: what follows it directly is of its kind. */
  #isAfterInline = false
  /** A quoted control token stands in this paragraph. */
  #quotesToken = false
  /** Nothing else was written since: the call goes on in the next paragraph. */
  #tokenIsLast = false
  #comment = false
  /** A tag or comment delimiter that is being read. */
  #tag = ''
  /** What may close the quotation that is open; empty: none is. */
  #closers = ''
  #opener = ''
  /** The quotation was opened by the last character that is not white space. */
  #justOpened = false
  #afterBlank = false
  #last = space

  /** A sentence ended right here, on this line. */
  get endsSentence(): boolean {
    return this.#head !== '' && /[.!?…。！？]/.test(String.fromCharCode(this.#last))
  }

  /**
   * What begins here, after the white space of its line, is quoted. A line right after one of a blockquote goes on
   * with it (CommonMark's lazy continuation). One right after a list item counts as the model's own: models
   * write their call there, under a plan in items.
   */
  get isQuoted(): boolean {
    return this.#isAfterInline || (!this.#afterBlank && this.#blockquote) || this.quotesFrames
  }

  /** So is a token around the reply: what ends a list or a blockquote may be one. */
  get quotesFrames(): boolean {
    const isMarked = /^[>|]/.test(this.#head) || listItem.test(this.#head)
    const isOpen = this.#closers !== '' && (!this.#afterBlank || this.#isLasting)
    const isInside = this.#comment || this.#quotesToken || this.#elements.length > 0
    return isMarked || this.#indent >= 4 || (this.#list && this.#indent > 0) || isOpen || isInside
  }

  /** A call begins here that isn't the model's own: up to its closing tag, or else the paragraph's end. */
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

  /** A pair of its own, or opened right before: a quotation that goes on over a blank line. */
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

  /** True while the character belongs to a tag. */
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
    const [, slash, written = ''] = /^<(\/?)([\w:-]+)/.exec(this.#tag) ?? []
    this.#tag = ''
    const name = written.toLowerCase()
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

  /** These open only at the beginning of a word: else they are apostrophes or signs for inches. */
  #plainClosers(mark: string): string {
    if (!looseMarks.includes(mark)) return ''
    const before = String.fromCharCode(this.#last)
    if (this.#last > space && !/[([{:>,=*_—–-]/.test(before)) return ''
    return mark === '‘' ? '’' : mark
  }
}
