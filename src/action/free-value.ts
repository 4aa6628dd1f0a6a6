import { XMLValidator } from 'fast-xml-parser'
import type { JsonValue } from '../protocol/json.ts'
import { ValueProblem } from './call-problem.ts'
import { setOwn } from './coerce.ts'
import { readCloseTag, readOpenTag } from './tags.ts'
import { decodeEntities, readCdata, trimLayout } from './xml-text.ts'

/** A comment, a processing instruction, a CDATA section, or the beginning of a tag, up to its name. */
const markup = /<(?:!--[^]*?-->|\?[^]*?\?>|!\[CDATA\[([^]*?)\]\]>|(\/?)([^\s/>]+))/g

const MAX_OPEN = 200

/** Why markup is not well-formed, in fast-xml-parser's words; undefined when it is. */
export function describeMarkupError(source: string): string | undefined {
  if (/<!doctype/i.test(source)) return 'DOCTYPE is not allowed.'
  const result = XMLValidator.validate(`<value>${source}</value>`)
  return result === true ? undefined : result.err.msg
}

/**
 * The value of well-formed markup that no schema describes (R14): text stays text, `item` children
 * make a list, other children an object, a repeated name a list. Throws `ValueProblem`.
 */
export function readFreeValue(source: string): JsonValue {
  const root = new Content('')
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
    if (!tag) open.pop()
    const child = tag ? new Content(name) : parent
    if (tag && !tag.selfClosing) open.push(child)
    else open[open.length - 1]?.add(child)
  }
  if (open.length !== 1) throw new ValueProblem('unreadable markup')
  root.addText(source.slice(at))
  return root.value()
}

/** What an element holds, as far as it has been read. */
class Content {
  readonly #name: string
  readonly #children = new Map<string, JsonValue[]>()
  /** Text and CDATA sections as they are written. */
  #raw = ''
  #text = ''

  constructor(name: string) {
    this.#name = name
  }

  addText(text: string): void {
    this.#raw += text
    this.#text += decodeEntities(text)
  }

  addCdata(content: string, raw: string): void {
    this.#raw += raw
    this.#text += content
  }

  add(child: Content): void {
    const values = this.#children.get(child.#name)
    if (values) values.push(child.value())
    else this.#children.set(child.#name, [child.value()])
  }

  value(): JsonValue {
    const children = this.#children
    if (children.size === 0) return readCdata(this.#raw) ?? trimLayout(this.#text)
    const items = children.get('item')
    if (items && children.size === 1) return items
    const result: Record<string, JsonValue> = {}
    for (const [name, values] of children) {
      if (name === '__proto__') throw new ValueProblem("'__proto__' is no allowed key")
      setOwn(result, name, values.length === 1 ? (values[0] ?? null) : values)
    }
    return result
  }
}
