import { XMLValidator } from 'fast-xml-parser'
import type { JsonValue } from '../protocol/json.ts'
import { ValueProblem } from './call-problem.ts'
import { setOwn } from './coerce.ts'
import { readCloseTag, readOpenTag } from './xml-tags.ts'
import { decodeEntities, readCdata, readText, trimLayout } from './xml-text.ts'

/** A comment, a processing instruction, a CDATA section, or the beginning of a tag, up to its name. */
const markup = /<(?:!--[^]*?-->|\?[^]*?\?>|!\[cdata\[([^]*?)\]\]>|(\/?)([^\s/>]+))/gi

const MAX_OPEN = 200

/** Why markup is not well-formed (fast-xml-parser's message, mostly); undefined when it is. */
export function describeMarkupError(source: string): string | undefined {
  const result = XMLValidator.validate(`<value>${source}</value>`)
  const name = declarationIn(source)
  if (name !== undefined) return `${name} is not allowed.`
  return result === true ? undefined : result.err.msg
}

/** The first `<!…` that is neither a comment nor a CDATA section. */
function declarationIn(source: string): string | undefined {
  const opener = /<!(?:(--)|(\[cdata\[)|\w*)/gi
  for (let found = opener.exec(source); found; found = opener.exec(source)) {
    const [whole, comment, cdata] = found
    const closer = comment ? '-->' : cdata ? ']]>' : undefined
    const end = closer ? source.indexOf(closer, opener.lastIndex) : -1
    if (end < 0) return /^<!doctype/i.test(whole) ? 'DOCTYPE' : `'${whole}'`
    opener.lastIndex = end + 3
  }
  return undefined
}

/**
 * The value of well-formed markup that no schema describes (R14): text stays text, also with elements in
 * it; `item` children make a list, other children an object, a repeated name a list.
 * Throws `ValueProblem`.
 */
export function readUntypedValue(source: string): JsonValue {
  return readContent(source).value(source)
}

/** As `readUntypedValue`, where the whole is known to be an object or a list: text between the elements is ignored. */
export function readUntypedElements(source: string): JsonValue {
  return readContent(source).elements()
}

function readContent(source: string): Content {
  const root = new Content('', 0)
  const open = [root]
  let at = 0
  markup.lastIndex = 0
  for (let found = markup.exec(source); found; found = markup.exec(source)) {
    const [whole, cdata, slash, name] = found
    const parent = open[open.length - 1] ?? root
    parent.addText(source.slice(at, found.index))
    at = markup.lastIndex
    if (cdata !== undefined) parent.addCdata(cdata, whole)
    if (name === undefined) continue
    const tag = slash ? undefined : readOpenTag(source, at)
    const end = tag ? tag.end : readCloseTag(source, at)
    if (end === undefined || open.length > MAX_OPEN) throw new ValueProblem('unreadable markup')
    at = markup.lastIndex = end
    if (tag && !tag.selfClosing) {
      open.push(new Content(name, end))
      continue
    }
    if (!tag) open.pop()
    const child = tag ? new Content(name, found.index) : parent
    open[open.length - 1]?.add(child, source.slice(child.from, found.index))
  }
  if (open.length !== 1) throw new ValueProblem('unreadable markup')
  root.addText(source.slice(at))
  return root
}

/** What an element holds, as far as it has been read. */
class Content {
  /** Where it begins in the source. */
  readonly from: number
  readonly #name: string
  readonly #children = new Map<string, JsonValue[]>()
  /** Text and CDATA sections as they are written. */
  #raw = ''
  #text = ''

  constructor(name: string, from: number) {
    this.#name = name
    this.from = from
  }

  addText(text: string): void {
    this.#raw += text
    this.#text += decodeEntities(text)
  }

  addCdata(content: string, raw: string): void {
    this.#raw += raw
    this.#text += content
  }

  add(child: Content, inner: string): void {
    const value = child.value(inner)
    const values = this.#children.get(child.#name)
    if (values) values.push(value)
    else this.#children.set(child.#name, [value])
  }

  /** `inner`: the element's content as written. */
  value(inner: string): JsonValue {
    if (this.#children.size === 0) return readCdata(this.#raw) ?? trimLayout(this.#text)
    return this.#text.trim() === '' ? this.elements() : readText(inner)
  }

  elements(): JsonValue {
    const items = this.#children.get('item')
    if (items && this.#children.size === 1) return items
    const result: Record<string, JsonValue> = {}
    for (const [name, values] of this.#children) {
      if (name === '__proto__') throw new ValueProblem("'__proto__' is no allowed key")
      setOwn(result, name, values.length === 1 ? (values[0] ?? null) : values)
    }
    return result
  }
}
