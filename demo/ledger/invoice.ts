export const statuses = ['draft', 'sent', 'overdue', 'paid'] as const
export type Status = (typeof statuses)[number]

/** Columns that people and the agent can edit. */
export const fields = ['customer', 'date', 'amount', 'status', 'note'] as const
export type Field = (typeof fields)[number]

export interface Invoice {
  readonly id: string
  readonly customer: string
  /** ISO date, such as 2026-03-31. */
  readonly date: string
  /** In cents of a euro. */
  readonly amount: number
  readonly status: Status
  readonly note: string
}

/** An invoice with all fields as text, as the sheet, a CSV file and a model have it. Amounts are in euros. */
export type InvoiceText = Readonly<Record<Field, string>>

const MAX_TEXT = 120

/** Reads the text of a field. Throws an `Error` that says what the field takes. */
export function parseField(field: Field, text: string): Partial<Invoice> {
  const value = text.trim()
  switch (field) {
    case 'customer':
      if (value === '') throw new Error('The customer needs a name.')
      return { customer: shortText(value) }
    case 'note':
      return { note: shortText(value) }
    case 'date':
      if (!isDate(value)) throw new Error(`“${value}” is no date such as 2026-03-31.`)
      return { date: value }
    case 'amount':
      return { amount: parseAmount(value) }
    case 'status':
      return { status: parseStatus(value) }
  }
}

/** Returns the text of a field; `parseField` reads it. */
export function textOf(invoice: Invoice, field: Field): string {
  return field === 'amount' ? (invoice.amount / 100).toFixed(2) : invoice[field]
}

export function parseInvoice(id: string, text: InvoiceText): Invoice {
  const empty: Invoice = { id, customer: '', date: '', amount: 0, status: 'draft', note: '' }
  return fields.reduce(
    (invoice, field) => ({ ...invoice, ...parseField(field, text[field]) }),
    empty,
  )
}

function shortText(value: string): string {
  if (value.length > MAX_TEXT) throw new Error(`A text has at most ${MAX_TEXT} characters.`)
  return value
}

function isDate(value: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

function parseAmount(value: string): number {
  if (!/^\d{1,7}(\.\d{1,2})?$/.test(value))
    throw new Error(`“${value}” is no amount in euros such as 1250.00.`)
  return Math.round(Number(value) * 100)
}

function parseStatus(value: string): Status {
  const status = statuses.find((each) => each === value.toLowerCase())
  if (!status) throw new Error(`“${value}” is no status. Use one of ${statuses.join(', ')}.`)
  return status
}
