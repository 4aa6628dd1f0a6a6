import type { JsonValue } from '../protocol/json.ts'
import { openers } from './foreign/dialects/table.ts'
import { decodeBrowserEntities, normalizeCharacters, withoutEscapes } from './normalize-text.ts'
import { isRecord } from '../lib/shape.ts'
import type { IndexedTool } from './tool-index.ts'
import { lazyPattern } from '../lib/once.ts'

/** How far after the name its arguments may stand, in characters of bare text. */
const maxReach = 2000
/** The characters of a value that are looked for: its end may be cut off where it is shown. */
const valueHead = 40
/** The most characters that are kept. Past it, every call of a tool that was named as in a call counts as mentioned. */
const maxKept = 2_000_000
/** Entities of entities, escapes of escapes … */
const maxDecoding = 5

/** Marks of CDATA sections, whose content counts. */
const cdata = /<!\[cdata\[|\]\]>/gi
const comment = /<!--(?:(?!-->)[^]){0,200}-->/g
/** Tags that only format text. */
const formatting =
  /<\/?(?:a|abbr|article|b|bdi|bdo|big|blockquote|br|center|cite|code|dd|del|div|dl|dt|em|font|h[1-6]|hr|i|ins|kbd|li|mark|ol|p|pre|q|s|samp|section|small|span|strike|strong|sub|sup|t|table|tbody|td|th|thead|tr|tt|u|ul|var|wbr)(?:\s[^<>]{0,500})?\/?>/gi
const quoting = /^[ \t]*(?:[-*+•>|][ \t]*)+/
const numbering = /^[ \t]*(?:(?:[-*+•>|]|\d{1,9}[ \t]*[.):|])[ \t]*)+/
/** How a line of a page's outline begins: its element's role. */
const role =
  /^(?:text|link|button|generic|paragraph|heading|list|listitem|term|definition|table|rowgroup|row|cell|gridcell|columnheader|rowheader|caption|group|region|article|main|banner|navigation|contentinfo|complementary|form|search|textbox|searchbox|combobox|option|listbox|checkbox|radio|switch|slider|spinbutton|tab|tablist|tabpanel|menu|menubar|menuitem|tree|treeitem|img|image|figure|code|blockquote|emphasis|strong|deletion|insertion|mark|note|status|alert|dialog|log|\/\w+)(?=[ :]|$):?/
const flags = / \[[a-z-]+(?:=[^\]\n]{0,80})?\]/g
const noise = /[\s"'`*_~\\.|/▁\p{Pd}]/gu

function decoded(text: string): string {
  let plain = text
  for (let round = 0; round < maxDecoding; round++) {
    const next = withoutEscapes(decodeBrowserEntities(plain))
    if (next === plain) break
    plain = next
  }
  return plain
}

/**
 * A decoded text without what pages, formats and models add to it or drop from it; `line` decides whether its
 * numbering is kept.
 */
function bareText(text: string, line: RegExp): string {
  const plain = text
    .replaceAll(/%([2-7][\da-fA-F])/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replaceAll(cdata, '')
    .replaceAll(formatting, '')
    .split('\n')
    .map((each) => bareLine(each, line))
    .join('')
  return normalizeCharacters(plain).toLowerCase().replaceAll(noise, '')
}

function bareLine(text: string, line: RegExp): string {
  const rest = text.replace(line, '')
  const element = /^[ \t]*-/.test(text) ? role.exec(rest)?.[0] : undefined
  if (element === undefined) return rest
  if (element === '/url:') return ''
  const content = rest.slice(element.length).replaceAll(flags, '')
  // A name's line ends with a colon where elements follow; after other roles it is the text's own.
  return (element.endsWith(':') ? content : content.replace(/:\s*$/, '')).replace(line, '')
}

function bare(text: string): string {
  return bareText(decoded(text), quoting)
}

/** What opens a call in some format, as a pattern; closing brackets at the start of a line pass for its prefix. */
function openings(): string[] {
  return openers
    .map(bare)
    .filter((opener) => /^[<[]./.test(opener))
    .map((opener) => opener.replaceAll('[', '\\[').replaceAll(/[>\]]/g, '$&?'))
}
const before = lazyPattern(
  () =>
    '(?:<|functions|defaultapi|(?:name|tool|function|action|calls?|recipient|invoke|command|begin|sep|api|opensource|' +
    `to=)[:=>\\],]+|to=|<tool(?:call)?:?(?:sep|name|begin)|name:plamo>?|${[...new Set(openings())].join('|')})$`,
)
/** The longest opening. */
const maxBefore = 40
const after = /^(?:call)?:?\d{0,4}(?:[({]|\[(?:args|callid|\{))/
const introduction =
  /^(?:actioninput|arguments|args|parameters|params|toolinput|input|kwargs|json|callid|code<|index=)/

/**
 * The coarse search (Q3): finds calls that a text only mentions, by the tool's name where calls have it and
 * the arguments' values after it, though they can't be parsed as they stand. Pages are shown to a model as
 * outlines, which split texts. What it finds is asked about; nothing is refused.
 */
export class MentionedCalls {
  readonly #names: ReadonlyMap<string, string>
  /** The texts that follow each possible start of a call, by the tool's name. */
  #found = new Map<string, Set<string>>()
  #kept = 0

  constructor(names: readonly string[]) {
    this.#names = new Map(names.map((name) => [name, bare(name)]))
  }

  read(text: string): void {
    const plain = decoded(text)
    // A comment may tear a call apart, or hold one.
    const texts = new Set(
      [plain, plain.replaceAll(comment, '')].flatMap((each) => [
        bareText(each, quoting),
        bareText(each, numbering),
      ]),
    )
    for (const each of texts)
      for (const [name, wanted] of this.#names) if (wanted !== '') this.#collect(each, name, wanted)
  }

  /** Copies what another instance found, whether its tools are still registered or not. */
  inherit({
    found,
    kept,
  }: {
    readonly found: MentionedCalls['found']
    readonly kept: number
  }): void {
    for (const [name, contexts] of found) this.#found.set(name, new Set(contexts))
    this.#kept = kept
  }

  get found(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#found
  }

  get kept(): number {
    return this.#kept
  }

  holds(tool: IndexedTool, input: JsonValue): boolean {
    const contexts = this.#found.get(tool.name)
    if (!contexts) return false
    if (this.#kept > maxKept) return true
    const call = partsOf(tool, input)
    for (const context of contexts) if (isMention(context, call)) return true
    return false
  }

  #collect(text: string, name: string, wanted: string): void {
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      const end = at + wanted.length
      const isMarked = before().test(text.slice(Math.max(0, at - maxBefore), at))
      if (!isMarked && !after.test(text.slice(end, end + 24))) continue
      const contexts = this.#found.get(name) ?? new Set()
      this.#found.set(name, contexts)
      if (this.#kept > maxKept) return
      const context = (isMarked ? '!' : '?') + text.slice(end, end + maxReach)
      if (!contexts.has(context)) this.#kept += context.length
      contexts.add(context)
    }
  }
}

interface CallParts {
  readonly keys: readonly string[]
  /** The beginnings of the arguments' values. */
  readonly values: readonly string[]
  /** The values may be longer than the text that is kept. */
  readonly isLong: boolean
}

function partsOf(tool: IndexedTool, input: JsonValue): CallParts {
  const keys: string[] = []
  const values: string[] = []
  let length = 0
  const walk = (value: JsonValue, isDefault: boolean): void => {
    if (Array.isArray(value)) for (const entry of value) walk(entry, false)
    else if (isRecord(value)) {
      for (const [key, entry] of Object.entries(value)) {
        keys.push(bare(key))
        walk(entry as JsonValue, false)
      }
    } else if (value !== null && !isDefault) {
      const text = bare(String(value))
      length += text.length
      if (text !== '') values.push(text.slice(0, valueHead))
    }
  }
  if (!isRecord(input)) walk(input, false)
  else {
    for (const [key, value] of Object.entries(input)) {
      keys.push(bare(key))
      const schema = tool.input.properties.get(key)
      const fallback = schema === undefined ? undefined : tool.input.schemas.shape(schema).fallback
      walk(value as JsonValue, fallback !== undefined && fallback === value)
    }
  }
  return { keys: keys.filter((key) => key !== ''), values, isLong: length > maxReach / 2 }
}

function isMention(context: string, { keys, values, isLong }: CallParts): boolean {
  const text = context.slice(1)
  const isBegun = context.startsWith('!')
    ? !/^[\p{L}\p{N}]/u.test(text) ||
      introduction.test(text) ||
      after.test(text) ||
      begins(text, keys)
    : isArguments(text.replace(/^(?:call)?:?\d{0,4}[[({]+/, ''), keys, values)
  if (!isBegun) return false
  if (values.every((value) => text.includes(value))) return true
  return isLong && text.length === maxReach && values.some((value) => text.includes(value))
}

function isArguments(text: string, keys: readonly string[], values: readonly string[]): boolean {
  return (
    (values.length === 0 && /^[)}\]]/.test(text)) ||
    /^(?:args|callid)/.test(text) ||
    introduction.test(text) ||
    begins(text, keys) ||
    begins(text, values)
  )
}

function begins(text: string, candidates: readonly string[]): boolean {
  return candidates.some((candidate) => text.startsWith(candidate))
}
