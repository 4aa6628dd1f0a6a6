import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { type ListWindow, ROW_HEIGHT } from '../list-window.ts'
import { toVisibleText } from './format.ts'

export interface Table<Row> {
  readonly label: string
  /** CSS class that sets the column widths. */
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  readonly list: ListWindow
  /** Index of the selected row, or -1. */
  readonly selected: number
  readonly cells: (row: Row) => readonly (TemplateResult | string)[]
  readonly rowClass?: (row: Row) => string
  readonly select: (index: number) => void
}

/** A table that draws only the rows in view. Arrow, page, Home and End keys select a row, as a click does. */
export function tableView<Row>(table: Table<Row>): TemplateResult {
  const { label, name, columns, rows, list, selected } = table
  const { from, to } = list.rows({ name, count: rows.length, selected })
  const isDrawn = selected >= from && selected < to
  return html`
    <div
      class="rows ${name}"
      role="grid"
      tabindex="0"
      aria-label=${label}
      aria-rowcount=${rows.length + 1}
      aria-activedescendant=${isDrawn ? `row-${selected}` : nothing}
      @scroll=${() => list.scrolled()}
      @keydown=${(event: KeyboardEvent) => onKey(table, event)}
    >
      <div class="head" role="rowgroup">
        <div class="row" role="row" aria-rowindex="1">
          ${columns.map((column) => html`<span role="columnheader">${column}</span>`)}
        </div>
      </div>
      <div class="space" role="rowgroup" .style=${`block-size: ${rows.length * ROW_HEIGHT}px`}>
        ${repeat(
          rows.slice(from, to).map((row, at) => ({ row, index: from + at })),
          ({ index }) => index,
          ({ row, index }) => rowView(table, row, index),
        )}
      </div>
    </div>
  `
}

function rowView<Row>(table: Table<Row>, row: Row, index: number): TemplateResult {
  return html`<div
    class="row ${table.rowClass?.(row) ?? ''}"
    role="row"
    id="row-${index}"
    aria-rowindex=${index + 2}
    aria-selected=${index === table.selected}
    .style=${`inset-block-start: ${index * ROW_HEIGHT}px`}
    @click=${() => choose(table, index)}
  >
    ${table.cells(row).map((cell) => html`<span role="gridcell">${typeof cell === 'string' ? toVisibleText(cell) : cell}</span>`)}
  </div>`
}

/** Selects a row and keeps it in view when its details take up space. */
function choose<Row>({ list, select }: Table<Row>, index: number): void {
  select(index)
  list.reveal(index)
}

function onKey<Row>(table: Table<Row>, event: KeyboardEvent): void {
  const { rows, selected, list } = table
  const to = indexAfter(event.key, { selected, last: rows.length - 1, page: list.page })
  if (to === null || rows.length === 0) return
  event.preventDefault()
  choose(table, to)
}

function indexAfter(
  key: string,
  {
    selected,
    last,
    page,
  }: { readonly selected: number; readonly last: number; readonly page: number },
): number | null {
  const within = (index: number): number => Math.max(0, Math.min(last, index))
  if (key === 'ArrowDown') return within(selected + 1)
  if (key === 'ArrowUp') return within(selected - 1)
  if (key === 'PageDown') return within(selected + page)
  if (key === 'PageUp') return within(selected - page)
  if (key === 'Home') return 0
  return key === 'End' ? last : null
}

/** A region that scrolls separately and can be focused. */
export function regionView(label: string, content: unknown): TemplateResult {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>${content}</div>`
}
