import { byId, el, setText } from '../lib/dom.ts'
import { formatMoney } from '../lib/format.ts'
import { createKeyedList, type View } from '../lib/keyed-list.ts'
import { findInvoices, type InvoiceFilter } from './find-invoices.ts'
import { fields, statuses, textOf, type Field, type Invoice } from './invoice.ts'
import type { Ledger } from './ledger.ts'

const labels: Readonly<Record<Field, string>> = {
  customer: 'Customer',
  date: 'Date',
  amount: 'Amount',
  status: 'Status',
  note: 'Note',
}

export function showLedger(ledger: Ledger): void {
  const search = byId('invoice-search', HTMLInputElement)
  const status = byId('invoice-status', HTMLSelectElement)
  const emptyNote = byId('no-invoices', HTMLElement)
  const showRows = createKeyedList<Invoice>(byId('invoices', HTMLElement), {
    key: ({ id }) => id,
    create: (invoice) => createRow(ledger, invoice),
  })
  const render = (): void => {
    const { invoices } = ledger.getState()
    const filter = [...statuses, 'open' as const].find((each) => each === status.value)
    const query: InvoiceFilter = { query: search.value, ...(filter && { status: filter }) }
    const found = findInvoices(invoices, query)
    showRows(found)
    emptyNote.hidden = found.length > 0
    setText(byId('ledger-sums', HTMLElement), describeSums(invoices))
  }
  search.addEventListener('input', render)
  status.addEventListener('change', render)
  ledger.subscribe(render)
  render()
}

function describeSums(invoices: readonly Invoice[]): string {
  const sum = (status: 'open' | 'overdue'): string => {
    const matching = findInvoices(invoices, { status })
    return formatMoney(matching.reduce((total, { amount }) => total + amount, 0))
  }
  return `${sum('open')} open · ${sum('overdue')} overdue`
}

function createRow(ledger: Ledger, { id }: Invoice): View<Invoice> {
  const cells = fields.map((field) => createCell(ledger, id, field))
  const element = el(
    'tr',
    {},
    el('th', { scope: 'row' }, id),
    ...cells.map(({ element: cell }) => cell),
  )
  return {
    element,
    update(invoice) {
      element.dataset['status'] = invoice.status
      for (const cell of cells) cell.update(invoice)
    },
  }
}

function createCell(ledger: Ledger, id: string, field: Field): View<Invoice> {
  const input =
    field === 'status'
      ? el('select', {}, ...statuses.map((status) => el('option', { value: status }, status)))
      : el('input', { type: field === 'date' ? 'date' : 'text', autocomplete: 'off' })
  input.setAttribute('aria-label', `${labels[field]} of ${id}`)
  if (field === 'amount') input.setAttribute('inputmode', 'decimal')
  input.addEventListener('change', () => {
    const notice = byId('ledger-notice', HTMLElement)
    try {
      ledger.edit({ id, field, to: input.value })
      setText(notice, '')
    } catch (error) {
      setText(notice, error instanceof Error ? error.message : String(error))
      input.value = textOf(ledger.get(id), field)
    }
  })
  const element = el('td', { class: `cell-${field}` }, input)
  let shownText: string | undefined
  return {
    element,
    update(invoice) {
      const text = textOf(invoice, field)
      if (text === shownText) return
      if (shownText !== undefined) markChanged(element)
      shownText = text
      input.value = text
    },
  }
}

/** Marks a changed cell for a moment, and brings it into view unless a person is at work in the sheet. */
function markChanged(cell: HTMLElement): void {
  cell.classList.remove('changed')
  // The animation starts anew with each change.
  requestAnimationFrame(() => cell.classList.add('changed'))
  if (!document.activeElement?.closest('.sheet')) cell.scrollIntoView({ block: 'nearest' })
}
