/** Replaces a secret. */
const MARK = '[redacted]'

/** Of a secret that was cut off, so many characters are enough to know it by. */
const KNOWN_BY = 16

/** One escaped character: URL-encoded, in a JSON or JavaScript string (escaped again, too), or in HTML. */
const ESCAPED =
  /%([\da-f]{2})|\\{1,8}(?:u([\da-f]{4})|x([\da-f]{2})|([^ux\\]))|&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/iy

/** The beginning of one, at the end of a text. */
const ESCAPE_BEGUN =
  /^(?:%[\da-f]?|\\{1,8}(?:u[\da-f]{0,3}|x[\da-f]?)?|&(?:#x?[\da-f]{0,7}|[a-z]{0,4})?)$/i
const LONGEST_ESCAPE = 14

const ENTITIES: { readonly [name: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

/** Whether more of a text is to come. */
export type Extent = 'whole' | 'growing'

/** A part of a text, and what it becomes. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly mark: string
}

/** Removes secrets from texts, in whatever way their characters are escaped. */
export class Redactor {
  readonly #secrets = new Set<string>()
  /** Where a secret may begin; null while none is known. */
  #start: RegExp | null = null

  constructor(secrets: readonly string[] = []) {
    this.learn(secrets)
  }

  get isIdle(): boolean {
    return this.#start === null
  }

  learn(secrets: readonly string[]): void {
    const size = this.#secrets.size
    for (const secret of secrets) for (const form of formsOf(secret)) this.#secrets.add(form)
    if (this.#secrets.size === size) return
    const first = [...this.#secrets].map((secret) => secret.charAt(0))
    const codes = [...new Set([...first, '\\', '%', '&'])].map(
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    this.#start = new RegExp(`[${codes.join('')}]`, 'g')
  }

  clean(text: string): string {
    return this.#scan(text, 'whole').clean
  }

  /** `held`: the end of the text that may be the beginning of a secret; it goes before what follows. */
  split(text: string): { readonly clean: string; readonly held: string } {
    return this.#scan(text, 'growing')
  }

  /** The value with every string in it cleaned, keys too. */
  cleanAll<Value>(value: Value): Value {
    return this.#start === null ? value : (this.#cleanValue(value) as Value)
  }

  #cleanValue(value: unknown): unknown {
    if (typeof value === 'string') return this.clean(value)
    if (Array.isArray(value)) return value.map((item) => this.#cleanValue(item))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value)
    return Object.fromEntries(
      entries.map(([key, item]) => [this.clean(key), this.#cleanValue(item)]),
    )
  }

  /** Where secrets stand, and from where on the text may be the beginning of one, while it is growing. */
  find(text: string, extent: Extent): { readonly secrets: Span[]; readonly heldFrom: number } {
    const secrets: Span[] = []
    const start = this.#start
    if (start === null) return { secrets, heldFrom: text.length }
    start.lastIndex = 0
    for (let found = start.exec(text); found; found = start.exec(text)) {
      const from = found.index
      const { end: to, isOpen } = this.#match(text, from)
      if (isOpen && extent === 'growing') return { secrets, heldFrom: from }
      if (to === from) continue
      secrets.push({ from, to, mark: MARK })
      start.lastIndex = to
    }
    return { secrets, heldFrom: text.length }
  }

  #scan(text: string, extent: Extent): { clean: string; held: string } {
    const { secrets, heldFrom } = this.find(text, extent)
    return { clean: withMarks(text.slice(0, heldFrom), secrets), held: text.slice(heldFrom) }
  }

  /** Where the longest secret that begins here ends. `isOpen`: more text might make it longer. */
  #match(text: string, at: number): { readonly end: number; readonly isOpen: boolean } {
    let end = at
    let isOpen = false
    for (const secret of this.#secrets) {
      let to = at
      let units = 0
      for (; units < secret.length; units++) {
        const size = unitSize(text, to, secret.charAt(units))
        if (size === null) isOpen = true
        if (!size) break
        to += size
      }
      if (units === secret.length || units >= KNOWN_BY) end = Math.max(end, to)
    }
    return { end, isOpen }
  }
}

/** The text from a place on, with each span replaced by its mark, also one that begins before that. */
export function withMarks(text: string, spans: readonly Span[], start = 0): string {
  let clean = ''
  let at = start
  for (const { from, to, mark } of spans) {
    if (to <= start) continue
    clean += text.slice(at, from) + mark
    at = to
  }
  return clean + text.slice(at)
}

/** How much of the text stands for the character; 0 when it is another, null when the text is over. */
function unitSize(text: string, at: number, wanted: string): number | null {
  if (at >= text.length) return null
  const found = text[at]
  if (found === wanted || (found === '+' && wanted === ' ')) return 1
  if (found !== '%' && found !== '\\' && found !== '&') return 0
  ESCAPED.lastIndex = at
  const escape = ESCAPED.exec(text)
  if (escape) return meaningOf(escape) === wanted ? escape[0].length : 0
  const isBegun = text.length - at < LONGEST_ESCAPE && ESCAPE_BEGUN.test(text.slice(at))
  return isBegun ? null : 0
}

function meaningOf(escape: RegExpExecArray): string | undefined {
  const [, percent, unicode, hex, same, htmlHex, html, name] = escape
  if (same !== undefined) return same
  if (name !== undefined) return ENTITIES[name.toLowerCase()]
  const digits = percent ?? unicode ?? hex ?? htmlHex
  return String.fromCharCode(digits === undefined ? Number(html) : Number.parseInt(digits, 16))
}

/** A secret as it may be written: as it is, escaped where it holds escapes itself, and in base64. */
function formsOf(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll('&', '&amp;'),
    secret.replaceAll('%', '%25'),
    ...[0, 1, 2].flatMap((offset) => {
      const form = inBase64(secret, offset)
      return [form, form.replaceAll('+', '-').replaceAll('/', '_')]
    }),
  ]
}

/** What base64 of any text that holds the secret has in it; `offset`: bytes before the secret, modulo 3. */
function inBase64(secret: string, offset: number): string {
  const bytes = [...[0, 0].slice(0, offset), ...new TextEncoder().encode(secret)]
  const whole = btoa(String.fromCharCode(...bytes))
  return whole.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6))
}
