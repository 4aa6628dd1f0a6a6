import { asText, type JsonRecord } from '../core/read-json.ts'

/** An item of an answer as it grows. */
export interface Item {
  /** The `output_index` of its events. GitHub Copilot changes the ids from event to event, and this never. */
  readonly index: number | undefined
  /** The item as it came: opened, with the parts that are whole, at last whole itself. */
  value: JsonRecord
  /** The server said that it is whole. */
  isDone: boolean
  /** The text shown so far, by part. */
  readonly shown: Map<string, string>
  /** Set once a call has a name. */
  toolCallId?: string
}

/** The item that shares most ids with an event, of the same type. Of several, the last. */
export function findItem(
  items: readonly Item[],
  value: JsonRecord,
  index: number | undefined,
): Item | undefined {
  let found: Item | undefined
  let best = isNameless(value, index) ? 0 : 1
  for (const item of items) {
    if (item.value['type'] !== value['type']) continue
    const score =
      Number(isNameless(item.value, item.index) || (index !== undefined && item.index === index)) +
      2 * (Number(isShared(item, value, 'id')) + Number(isShared(item, value, 'call_id')))
    if (score >= best) {
      found = item
      best = score
    }
  }
  return found
}

/** Some servers send neither an id nor an index. */
function isNameless({ id, call_id: callId }: JsonRecord, index: number | undefined): boolean {
  return index === undefined && (asText(id) ?? asText(callId)) === undefined
}

function isShared(item: Item, value: JsonRecord, field: string): boolean {
  return asText(value[field]) !== undefined && item.value[field] === value[field]
}

export function openItem(items: Item[], value: JsonRecord, index: number | undefined): Item {
  const item: Item = { index, value, isDone: false, shown: new Map() }
  items.push(item)
  return item
}
