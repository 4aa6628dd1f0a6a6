import { fields, type InvoiceText } from './invoice.ts'

export interface CsvInvoice {
  readonly id: string
  readonly text: InvoiceText
}

/** Reads invoices from CSV text. Its first row names the columns, in any order. Throws an `Error` that names the line. */
export function readInvoices(csv: string): readonly CsvInvoice[] {
  const [header = [], ...rows] = readRows(csv)
  const names = header.map((name) => name.trim().toLowerCase())
  const missing = ['id', ...fields].filter((name) => name !== 'note' && !names.includes(name))
  if (missing.length > 0) throw new Error(`The file has no column ${missing.join(', ')}.`)
  return rows.map((cells, index) => {
    const cell = (name: string): string => cells[names.indexOf(name)]?.trim() ?? ''
    const id = cell('id')
    if (id === '') throw new Error(`Line ${index + 2} has no id.`)
    const [customer, date, amount] = [cell('customer'), cell('date'), cell('amount')]
    return { id, text: { customer, date, amount, status: cell('status'), note: cell('note') } }
  })
}

/** Rows of CSV (RFC 4180), with commas or semicolons. Quoted cells may hold line breaks. Empty rows are left out. */
function readRows(csv: string): string[][] {
  const text = csv.replace(/^\uFEFF/, '')
  const firstLine = text.split('\n', 1)[0] ?? ''
  const separator = firstLine.includes(';') && !firstLine.includes(',') ? ';' : ','
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`,
    'y',
  )
  const rows: string[][] = [[]]
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex
    const [, quoted, unquoted = '', cellEnd] = cell.exec(text) ?? []
    if (cellEnd === undefined) {
      throw new Error(`Line ${text.slice(0, at).split('\n').length} has a quote inside of a cell.`)
    }
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? unquoted)
    if (cellEnd !== separator) rows.push([])
  }
  return rows.filter((row) => row.some((value) => value.trim() !== ''))
}
