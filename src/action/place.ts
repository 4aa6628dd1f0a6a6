const tab = 9
const newline = 10
const space = 32
const quote = 34
const apostrophe = 39
const lessThan = 60
const moreThan = 62
const backtick = 96

/** Quotation marks that come in pairs: what closes each opener. */
const pairs: ReadonlyMap<number, number> = new Map([
  [0x201c, 0x201d],
  [0x201e, 0x201c],
  [0x2018, 0x2019],
  [0x201a, 0x2018],
  [0xab, 0xbb],
  [0x2039, 0x203a],
  [0x300c, 0x300d],
  [0x300e, 0x300f],
])
/** Elements whose content is shown as it stands, or is somebody's words. */
const quotingTags: ReadonlySet<string> = new Set([
  'pre',
  'code',
  'blockquote',
  'q',
  'samp',
  'xmp',
  'textarea',
])
const listItem = /^(?:[-*+•]|\d{1,9}[.)])(?:\s|$)/

/**
 * Where a line of prose stands (Q2): inside somebody else's words, or in the model's own. Takes the
 * prose character by character; fenced code, which others follow, is left out.
 */
export class Place {
  /** Columns before the first character of the line. */
  #indent = 0
  /** The first characters of the line, to tell what kind of line it is. */
  #head = ''
  #list = false
  #blockquote = false
  /** Elements that quote, and are open. */
  #elements: readonly string[] = []
  /** How many of them are open while the newest quoted call is. */
  #callDepth = 0
  /** Somebody else's control token stands in this paragraph. */
  #quotesToken = false
  #comment = false
  /** A tag or comment delimiter that is being read. */
  #tag = ''
  /** What closes the quotation that is open; 0: none is. */
  #closer = 0
  /** The quotation was opened by the last character that is not white space. */
  #justOpened = false
  #afterBlank = false
  #last = space

  /** A sentence ended right here, on this line. */
  get endsSentence(): boolean {
    return this.#head !== '' && /[.!?…。！？]/.test(String.fromCharCode(this.#last))
  }

  /** What begins here, after the white space of its line, is quoted. */
  get isQuoted(): boolean {
    const isContinued = this.#list && this.#indent > 0
    const isMarked = /^[>|]/.test(this.#head) || listItem.test(this.#head)
    const isOpen = this.#closer !== 0 && (!this.#afterBlank || this.#isLasting)
    const isInside = this.#comment || this.#quotesToken || this.#elements.length > 0
    return (
      isMarked ||
      this.#indent >= 4 ||
      isContinued ||
      (this.#blockquote && !this.#afterBlank) ||
      isOpen ||
      isInside
    )
  }

  /** A call begins here that isn't the model's own: up to its closing tag, or else the paragraph's end. */
  quoteCall(tag: string | undefined): void {
    if (tag === undefined) this.#quotesToken = true
    else this.#elements = [...this.#elements, tag.toLowerCase()].slice(-50)
    this.#callDepth = this.#elements.length
  }

  feed(code: number): void {
    if (code === newline) return this.#endLine()
    if (code <= space) {
      if (this.#head === '') this.#indent += code === tab ? 4 - (this.#indent % 4) : 1
      else this.#extendHead(code)
      if (this.#tag !== '') this.#endTag()
      this.#last = code
      return
    }
    if (this.#head === '' && this.#afterBlank) this.#beginParagraph()
    this.#extendHead(code)
    if (!this.#followTag(code) && !this.#isInCall) this.#followQuote(code)
    this.#last = code
  }

  clone(): Place {
    const copy = new Place()
    copy.#indent = this.#indent
    copy.#head = this.#head
    copy.#list = this.#list
    copy.#blockquote = this.#blockquote
    copy.#elements = this.#elements
    copy.#callDepth = this.#callDepth
    copy.#quotesToken = this.#quotesToken
    copy.#comment = this.#comment
    copy.#tag = this.#tag
    copy.#closer = this.#closer
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
    return this.#justOpened || ![quote, apostrophe, backtick].includes(this.#closer)
  }

  #beginParagraph(): void {
    if (!this.#isLasting) this.#closer = 0
    this.#blockquote = false
    this.#quotesToken = false
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
      else if (this.#indent === 0) this.#list = false
    }
    // Inline code and what may be an apostrophe don't reach over the line.
    const isShort = this.#closer === apostrophe || this.#closer === backtick
    if (isShort && !this.#justOpened) this.#closer = 0
    this.#head = ''
    this.#indent = 0
    this.#last = newline
  }

  /** True while the character belongs to a tag. */
  #followTag(code: number): boolean {
    if (this.#closer === backtick) return false
    if (code === lessThan) {
      this.#tag = '<'
      this.#justOpened = false
      return true
    }
    if (this.#tag === '') {
      if (code === moreThan && this.#comment && this.#last === 45) this.#comment = false
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
    } else if (quotingTags.has(name)) this.#elements = [...this.#elements, name].slice(-50)
  }

  #followQuote(code: number): void {
    if (this.#closer !== 0) {
      this.#justOpened = false
      if (code === this.#closer) this.#closer = 0
      return
    }
    const closer = pairs.get(code) ?? this.#plainCloser(code)
    if (closer === 0) return
    this.#closer = closer
    this.#justOpened = true
  }

  /** A straight quotation mark opens where a word begins: no apostrophe, no sign for inches. */
  #plainCloser(code: number): number {
    if (code !== quote && code !== apostrophe && code !== backtick) return 0
    return this.#last <= space || /[([{:>,=*_—–-]/.test(String.fromCharCode(this.#last)) ? code : 0
  }
}
