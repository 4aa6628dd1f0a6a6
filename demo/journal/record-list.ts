import { byId, el, setText } from '../lib/dom.ts'
import { keepAtEnd } from '../lib/keep-at-end.ts'
import { describeRecord } from './describe-record.ts'

/** An event or a stored row. */
interface ListedRecord {
  readonly seq: number
  readonly type: string
}

/** Rows kept; older ones go. */
const MAX_ROWS = 400

/** A list to which records are added, with their count. */
export interface RecordList {
  add(records: readonly ListedRecord[]): void
  clear(): void
}

export function createRecordList(listId: string, countId: string): RecordList {
  const list = byId(listId, HTMLElement)
  const counter = byId(countId, HTMLElement)
  let count = 0
  return {
    add(records) {
      if (records.length === 0) return
      count += records.length
      setText(counter, String(count))
      keepAtEnd(list, () => list.append(...records.map(rowOf)))
      while (list.childElementCount > MAX_ROWS) list.firstElementChild?.remove()
    },
    clear() {
      count = 0
      setText(counter, '0')
      list.replaceChildren()
    },
  }
}

function rowOf(record: ListedRecord): HTMLElement {
  const data = describeRecord(record)
  const fullText = el('pre', { class: 'record-whole' })
  const details: HTMLDetailsElement = el(
    'details',
    {
      ontoggle: () => {
        fullText.textContent = details.open ? JSON.stringify(record, null, 2) : ''
      },
    },
    el(
      'summary',
      {},
      el('span', { class: 'record-seq' }, String(record.seq)),
      el('span', { class: 'record-type' }, record.type),
      el('span', { class: 'record-data' }, data),
    ),
    fullText,
  )
  return el('li', {}, details)
}
