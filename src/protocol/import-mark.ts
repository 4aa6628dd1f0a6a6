import type { NewRow, Row } from './fact.ts'

const FROM_FILE = 'an imported conversation'

/** Who wrote a file isn't known: it taints the conversation on all its branches. */
export function importMark(at: number): NewRow {
  return { type: 'untrusted-taken-in', runId: null, after: null, origin: FROM_FILE, at }
}

export function isImportMark(row: Row): boolean {
  if (row.type !== 'untrusted-taken-in' || row.path !== undefined) return false
  return row.origin === FROM_FILE && row.after === null
}
