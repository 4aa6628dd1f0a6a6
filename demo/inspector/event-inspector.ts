import type { RunEvent } from 'offstage'
import { keepAtEnd } from '../lib/keep-at-end.ts'
import { byId, el, setText } from '../lib/dom.ts'
import { describeEvent } from './describe-event.ts'

/** Rows kept; older ones go. */
const MAX_ROWS = 400

/** The live list of everything that the runs tell. */
export function createEventInspector(): (event: RunEvent) => void {
  const list = byId('events', HTMLElement)
  const counter = byId('event-count', HTMLElement)
  let count = 0
  return (event) => {
    count++
    setText(counter, String(count))
    const data = describeEvent(event)
    const row = el(
      'li',
      {},
      el('span', { class: 'event-seq' }, String(event.seq)),
      el('span', { class: 'event-type' }, event.type),
      el('span', { class: 'event-data', title: data }, data),
    )
    keepAtEnd(list, () => list.append(row))
    if (list.childElementCount > MAX_ROWS) list.firstElementChild?.remove()
  }
}
