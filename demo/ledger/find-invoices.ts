import type { Invoice, Status } from './invoice.ts'

export interface InvoiceFilter {
  /** Words that an invoice holds, without regard to case and accents. */
  readonly query?: string
  readonly status?: Status | 'open'
}

/** Returns the invoices that match. `open` is what was sent and isn't paid. */
export function findInvoices(
  invoices: readonly Invoice[],
  { query = '', status }: InvoiceFilter,
): readonly Invoice[] {
  const words = normalize(query).split(/\s+/)
  return invoices.filter((invoice) => {
    const text = normalize(`${invoice.id} ${invoice.customer} ${invoice.date} ${invoice.note}`)
    return words.every((word) => text.includes(word)) && hasStatus(invoice, status)
  })
}

function hasStatus({ status }: Invoice, filterStatus: InvoiceFilter['status']): boolean {
  if (filterStatus === 'open') return status === 'sent' || status === 'overdue'
  return filterStatus === undefined || status === filterStatus
}

function normalize(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()
}
