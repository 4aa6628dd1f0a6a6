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
  const words = plain(query).split(/\s+/)
  return invoices.filter((invoice) => {
    const text = plain(`${invoice.id} ${invoice.customer} ${invoice.date} ${invoice.note}`)
    return words.every((word) => text.includes(word)) && hasStatus(invoice, status)
  })
}

function hasStatus({ status }: Invoice, asked: InvoiceFilter['status']): boolean {
  if (asked === 'open') return status === 'sent' || status === 'overdue'
  return asked === undefined || status === asked
}

function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()
}
