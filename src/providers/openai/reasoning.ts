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
  /** The fields to be sent back, or undefined. */
  metadata(): JsonObject | undefined
}

export function createReasoningFields(): ReasoningFields {
  const texts = new Map<string, string[]>()
  const details: JsonValue[] = []
  let thinking: JsonRecord | undefined

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
      const { thinking: content } = part
      const pieces = typeof content === 'string' ? [content] : asList(content)
      thinking = { ...thinking, ...part, thinking: joined(asList(thinking?.['thinking']), pieces) }
      return pieces.map(detailText).join('')
    },
    metadata() {
      const fields: { [name: string]: JsonValue } = {}
      for (const [name, pieces] of texts) fields[name] = pieces.join('')
      if (details.length > 0) fields['reasoning_details'] = details
      if (thinking) fields['content'] = [thinking as JsonObject]
      return Object.keys(fields).length === 0 ? undefined : fields
    },
  }
}

/** The pieces in one list, with texts that follow each other as one. */
function joined(first: readonly unknown[], second: readonly unknown[]): unknown[] {
  const pieces = [...first]
  for (const piece of second) {
    const text = detailText(piece)
    const last = asRecord(pieces.at(-1))
    if (text === '') pieces.push(piece)
    else if (last?.['type'] === 'text')
      pieces[pieces.length - 1] = { ...last, text: detailText(last) + text }
    else pieces.push({ type: 'text', text })
  }
  return pieces
}

function detailText(item: unknown): string {
  const record = asRecord(item)
  return asText(record?.['text']) ?? asText(record?.['summary']) ?? asText(item) ?? ''
}

/** OpenRouter streams the text of one item in several; those with equal `type` and `index` are one. */
function addDetail(details: JsonValue[], item: unknown): void {
  const record = asRecord(item)
  if (!record) return
  const last = asRecord(details[details.length - 1])
  const continues =
    last !== undefined &&
    record['index'] !== undefined &&
    last['index'] === record['index'] &&
    last['type'] === record['type']
  if (continues) details[details.length - 1] = mergeDetail(last, record)
  else details.push(record as JsonObject)
}

function mergeDetail(last: JsonRecord, next: JsonRecord): JsonObject {
  const merged: { [name: string]: unknown } = { ...last }
  for (const [name, value] of Object.entries(next)) {
    const before = last[name]
    const isText = name === 'text' || name === 'summary' || name === 'data'
    if (isText && typeof value === 'string' && typeof before === 'string') {
      merged[name] = before + value
    } else if (value !== null && value !== undefined) merged[name] = value
  }
  return merged as JsonObject
}
