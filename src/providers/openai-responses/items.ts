import { asText, type JsonRecord } from '../core/read-json.ts'

/** An item of an answer during the stream. */
export interface Item {
  /** The `output_index` of its events. GitHub Copilot changes ids between events, but never this. */
  readonly index: number | undefined
  /** The item's latest value: as opened, then with its complete parts, finally complete. */
  value: JsonRecord
  /** The server reported the item as complete. */
  isDone: boolean
  /** The text shown so far, by part. */
  readonly shown: Map<string, string>
  /** Set once a call has a name. */
  toolCallId?: string
}

/** The item of the same type that shares most ids with an event. If several do, the last. */
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

/** Whether there is neither an id nor an index, as with some servers. */
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
