/** An opening tag, read to its `>`. */
export interface OpenTag {
  readonly attributes: ReadonlyMap<string, string>
  readonly selfClosing: boolean
  /** Position after the `>`. */
  readonly end: number
}

const attribute = /\s*([^\s=/>"'<]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/y
const ending = /\s*(\/?)>/y

/** Reads the opening tag whose name ends at `at`; undefined when the tag is incomplete. */
export function readOpenTag(text: string, at: number): OpenTag | undefined {
  const attributes = new Map<string, string>()
  let position = at
  for (;;) {
    ending.lastIndex = position
    const end = ending.exec(text)
    if (end) return { attributes, selfClosing: end[1] === '/', end: ending.lastIndex }
    attribute.lastIndex = position
    const found = attribute.exec(text)
    if (!found) return undefined
    const value = found[2] ?? found[3] ?? found[4]?.replace(/\/$/, '') ?? ''
    attributes.set(found[1] ?? '', decodeEntities(value))
    position = attribute.lastIndex - (found[4]?.endsWith('/') ? 1 : 0)
  }
}

/** Position after the `>` of the closing tag whose name ends at `at`; undefined without a `>`. */
export function readCloseTag(text: string, at: number): number | undefined {
  ending.lastIndex = at
  const end = ending.exec(text)
  return end && end[1] === '' ? ending.lastIndex : undefined
}

const named: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])

const cdataOpener = '<![CDATA['

/** R11: decodes the five predefined entities and legal numeric references once, and keeps everything else. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,4}));/g, decodeOne)
}

function decodeOne(whole: string, ...groups: (string | undefined)[]): string {
  const [decimal, hex, name] = groups
  if (name !== undefined) return named.get(name) ?? whole
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : parseInt(decimal, 10)
  return isXmlCharacter(code) ? String.fromCodePoint(code) : whole
}

/** XML 1.0 production 2. */
function isXmlCharacter(code: number): boolean {
  if (code < 32) return code === 9 || code === 10 || code === 13
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0x10ffff && (code & 0xfffe) !== 0xfffe)
}

/** Returns the text of a raw XML value (R10): CDATA verbatim, text with markup verbatim, other text decoded. */
export function readText(raw: string): string {
  const sections = readCdata(raw)
  if (sections !== undefined) return sections
  if (!raw.includes('<')) return trimLayout(decodeEntities(raw))
  return readMixed(raw) ?? trimLayout(raw)
}

/**
 * Reads a mix of CDATA sections and text with entities, which shows that both are markup. Keeps the sections verbatim
 * and decodes the text. Undefined for any other text.
 */
function readMixed(raw: string): string | undefined {
  const sections: string[] = []
  let masked = ''
  let at = 0
  for (let start = raw.indexOf('<'); start >= 0; start = raw.indexOf('<', at)) {
    const end = isCdataOpener(raw, start) ? endOfCdata(raw, start) : -1
    if (end < 0) return undefined
    sections.push(raw.slice(start + cdataOpener.length, end - 3))
    masked += `${raw.slice(at, start)}\0`
    at = end
  }
  masked += raw.slice(at)
  const text = decodeEntities(masked)
  const parts = trimLayout(text).split('\0')
  if (text === masked || parts.length !== sections.length + 1) return undefined
  return parts.map((part, index) => part + (sections[index] ?? '')).join('')
}

/** Returns the content of a value that is only CDATA and white space, otherwise undefined. */
export function readCdata(raw: string): string | undefined {
  const text = raw.trim()
  if (!isCdataOpener(text, 0) || !text.endsWith(']]>')) return undefined
  let content = ''
  let at = 0
  while (at < text.length) {
    if (!isCdataOpener(text, at)) return undefined
    const end = endOfCdata(text, at)
    content += text.slice(at + cdataOpener.length, end - 3)
    at = skipSpace(text, end)
  }
  return trimCdataLayout(content)
}

export function isCdataOpener(text: string, at: number): boolean {
  return (
    text.startsWith('<![', at) &&
    text.slice(at, at + cdataOpener.length).toUpperCase() === cdataOpener
  )
}

/**
 * Returns the end of the CDATA section that opens at `at`, `]]>` included; -1 if it is never closed.
 * R10: a `]]>` is literal if another one precedes the next section or closing tag.
 */
export function endOfCdata(text: string, at: number): number {
  let end = text.indexOf(']]>', at + cdataOpener.length)
  if (end < 0) return -1
  const next = /\]\]>|<!\[cdata\[|<\/[A-Za-z_]/gi
  for (;;) {
    next.lastIndex = end + 3
    const found = next.exec(text)
    if (found?.[0] !== ']]>') return end + 3
    end = found.index
  }
}

function skipSpace(text: string, at: number): number {
  let next = at
  while (next < text.length && text.charCodeAt(next) <= 32) next++
  return next
}

/** Removes one line break after the opener and one before the closer, if both exist. */
function trimCdataLayout(content: string): string {
  const start = content.startsWith('\n') ? 1 : content.startsWith('\r\n') ? 2 : 0
  const end = content.length - (content.endsWith('\r\n') ? 2 : content.endsWith('\n') ? 1 : 0)
  return start > 0 && end < content.length && start <= end ? content.slice(start, end) : content
}

/**
 * R10: drops a blank first line and a blank last line. Trims a single line, unless its closer starts a line: then its
 * indentation is content.
 */
export function trimLayout(text: string): string {
  const trimmed = text.trim()
  return text.endsWith('\n') || trimmed.includes('\n') ? dropOuterLines(text) : trimmed
}

/** Drops the outer line breaks of text whose tags stand on lines of their own. */
export function dropOuterLines(text: string): string {
  return text.replace(/^[ \t]*\r?\n/, '').replace(/\r?\n[ \t]*$/, '')
}
