import { XMLParser, XMLValidator } from 'fast-xml-parser'
import type { JsonValue } from '../protocol/json.ts'
import { ValueProblem } from './call-problem.ts'
import { setOwn } from './coerce.ts'
import { decodeEntities, readCdata, trimLayout } from './xml-text.ts'

/** fast-xml-parser's ordered tree: each node has one key, its name. */
type Node = Readonly<Record<string, readonly Node[] | string>>

const textKey = '#text'
const cdataKey = '#cdata'
/** Stands for a carriage return while the parser, which would drop it, has the text. */
const returnMark = '\uFFFE'

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  cdataPropName: cdataKey,
  textNodeName: textKey,
  maxNestedTags: 200,
  // Keeps names like `prototype` away from the parser's own checks.
  transformTagName: (name) => `.${name}`,
})

/** Why markup is not well-formed, in fast-xml-parser's words; undefined when it is. */
export function describeMarkupError(markup: string): string | undefined {
  if (/<!doctype/i.test(markup)) return 'DOCTYPE is not allowed.'
  const result = XMLValidator.validate(`<value>${markup}</value>`)
  return result === true ? undefined : result.err.msg
}

/**
 * The value of well-formed markup that no schema describes (R14): text stays text, `item` children
 * make a list, other children an object, a repeated name a list. Throws `ValueProblem`.
 */
export function readFreeValue(markup: string): JsonValue {
  const hasReturns = markup.includes('\r')
  const source = hasReturns ? markup.replaceAll('\r', returnMark) : markup
  let tree: readonly Node[]
  try {
    tree = parser.parse(`<v>${source}</v>`) as readonly Node[]
  } catch (thrown) {
    throw new ValueProblem(thrown instanceof Error ? thrown.message : 'unreadable markup')
  }
  const children = tree[0]?.['.v']
  return toValue(Array.isArray(children) ? (children as readonly Node[]) : [], hasReturns)
}

function toValue(children: readonly Node[], hasReturns: boolean): JsonValue {
  const elements = children.flatMap((node) =>
    Object.entries(node).filter(([key, value]) => key.startsWith('.') && typeof value !== 'string'),
  ) as [string, readonly Node[]][]
  if (elements.length === 0) return toText(children, hasReturns)
  if (elements.every(([key]) => key === '.item'))
    return elements.map(([, nodes]) => toValue(nodes, hasReturns))
  const byName = new Map<string, JsonValue[]>()
  for (const [key, nodes] of elements) {
    const name = key.slice(1)
    if (name === '__proto__') throw new ValueProblem("'__proto__' is no allowed key")
    const values = byName.get(name) ?? []
    values.push(toValue(nodes, hasReturns))
    byName.set(name, values)
  }
  const result: Record<string, JsonValue> = {}
  for (const [name, values] of byName)
    setOwn(result, name, values.length === 1 ? (values[0] ?? null) : values)
  return result
}

function toText(children: readonly Node[], hasReturns: boolean): string {
  let text = ''
  let cdata: string | undefined
  for (const node of children) {
    const section = node[cdataKey]
    if (Array.isArray(section)) {
      const part = (section as readonly Node[])
        .map((inner) => String(inner[textKey] ?? ''))
        .join('')
      cdata = (cdata ?? '') + part
    } else text += String(node[textKey] ?? '')
  }
  const restored = (value: string): string =>
    hasReturns ? value.replaceAll(returnMark, '\r') : value
  if (cdata !== undefined && text.trim() === '')
    return readCdata(`<![CDATA[${restored(cdata)}]]>`) ?? restored(cdata)
  return trimLayout(decodeEntities(restored(cdata === undefined ? text : text + cdata)))
}
