import type { NewRow, Row } from './fact.ts'

const FROM_FILE = 'an imported conversation'

/** Returns the fact that taints all branches of an imported conversation, since the author of a file is unknown. */
export function importMark(at: number): NewRow {
  return { type: 'untrusted-taken-in', runId: null, after: null, origin: FROM_FILE, at }
}

export function isImportMark(row: Row): boolean {
  if (row.type !== 'untrusted-taken-in' || row.path !== undefined) return false
  return row.origin === FROM_FILE && row.after === null
}
