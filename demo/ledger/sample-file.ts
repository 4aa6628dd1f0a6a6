import type { FilePart } from 'offstage'

const csv = `id,customer,date,amount,status,note
INV-2041,Alder School,2026-08-17,540.00,sent,"Autumn term, 12 places"
INV-2042,Corner Bookshop,2026-08-18,96.50,sent,
INV-2043,Tidewater Spa,2026-08-19,1225.00,sent,"Bowls, ""sage"" glaze"
INV-2040,Harbor Café,2026-08-13,990.00,sent,Autumn menu
INV-2044,Birch & Sons,2026-08-20,310.00,draft,
`

/** A CSV file to import. One of its invoices is in the ledger. */
export function sampleFile(): FilePart {
  const bytes = new TextEncoder().encode(csv)
  const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return { type: 'file', mediaType: 'text/csv', filename: 'august.csv', data }
}
