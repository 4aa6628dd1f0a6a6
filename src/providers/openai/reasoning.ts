import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { asList, asRecord, asText, type JsonRecord } from '../core/read-json.ts'

/** Fields in which servers send reasoning as text; the first one present counts, others repeat it. */
const textFields = ['reasoning_content', 'reasoning', 'thinking'] as const

/** The reasoning of an answer, collected in the form in which the server requires it back. */
export interface ReasoningFields {
  /** Takes a delta; returns the text that is new, if any. */
  read(delta: JsonRecord): string
  /** The same of a part of the content (Mistral): `{ type: 'thinking', thinking: [text parts] }`. */
  readPart(part: JsonRecord): string
  /** Takes text of the reply, for its place among such parts. */
  passText(text: string): void
  /** The fields to be sent back, or undefined. */
  metadata(): JsonObject | undefined
}

/** What grows with each delta, and is nobody else's. */
interface Growing {
  [name: string]: unknown
}

export function createReasoningFields(): ReasoningFields {
  const texts = new Map<string, string[]>()
  const details: Growing[] = []
  /** Texts and thinking, in their order. */
  const content: Growing[] = []

  function readText(delta: JsonRecord): string {
    for (const field of textFields) {
      const text = delta[field]
      if (typeof text !== 'string' || text === '') continue
      const pieces = texts.get(field)
      if (pieces) pieces.push(text)
      else texts.set(field, [text])
      return text
    }
    return ''
  }

  return {
    read(delta) {
      const text = readText(delta)
      const items = asList(delta['reasoning_details'])
      if (items.length === 0) return text
      for (const item of items) addDetail(details, item)
      return text === '' ? items.map(detailText).join('') : text
    },
    readPart(part) {
      const { thinking, ...fields } = part
      const pieces = typeof thinking === 'string' ? [thinking] : asList(thinking)
      let last = content.at(-1)
      if (last && isThinking(last)) mergeFields(last, fields)
      else content.push((last = { ...fields, thinking: [] }))
      addPieces(last['thinking'] as Growing[], pieces)
      return pieces.map(detailText).join('')
    },
    passText: (text) => addPieces(content, [text]),
    metadata() {
      const fields: { [name: string]: JsonValue } = {}
      for (const [name, pieces] of texts) fields[name] = pieces.join('')
      if (details.length > 0) fields['reasoning_details'] = details as JsonObject[]
      // The text after the last thinking is the message's own.
      const thinking = content.slice(0, content.findLastIndex(isThinking) + 1)
      if (thinking.length > 0) fields['content'] = thinking as JsonObject[]
      return Object.keys(fields).length === 0 ? undefined : fields
    },
  }
}

function isThinking(part: Growing): boolean {
  return 'thinking' in part
}

/** Adds the pieces to the list, with texts that follow each other as one. */
function addPieces(list: Growing[], pieces: readonly unknown[]): void {
  for (const piece of pieces) {
    const text = detailText(piece)
    const last = list.at(-1)
    if (text === '') list.push(piece as Growing)
    else if (last?.['type'] === 'text')
      list[list.length - 1] = { ...last, text: detailText(last) + text }
    else list.push({ type: 'text', text })
  }
}

function detailText(item: unknown): string {
  const record = asRecord(item)
  return asText(record?.['text']) ?? asText(record?.['summary']) ?? asText(item) ?? ''
}

/** OpenRouter streams the text of one item in several; those with equal `type` and `index` are one. */
function addDetail(details: Growing[], item: unknown): void {
  const record = asRecord(item)
  if (!record) return
  const { index, type } = record
  const last = details.at(-1)
  if (index !== undefined && last?.['index'] === index && last['type'] === type)
    mergeFields(last, record)
  else details.push({ ...record })
}

/** Texts go on; of other fields the last one counts. */
function mergeFields(into: Growing, fields: JsonRecord): void {
  for (const [name, value] of Object.entries(fields)) {
    const before = into[name]
    if (value === null || value === undefined || name === '__proto__') continue
    const isText = name === 'text' || name === 'summary' || name === 'data'
    const goesOn = isText && typeof value === 'string' && typeof before === 'string'
    into[name] = goesOn ? before + value : value
  }
}
