import { FORMAT } from '../../protocol/fact.ts'
import { isNumber } from '../../lib/shape.ts'

/** A row as it is stored, in whatever format. */
export type StoredRow = Readonly<Record<string, unknown>>

/**
 * By the format that they read: what a row says, in the next format. Pure. Rows are read through them and
 * never rewritten.
 */
export type Upcasters = Readonly<Record<number, (row: StoredRow) => StoredRow>>

/** None yet: no older format was released. */
export const UPCASTERS: Upcasters = {}

/** Whether something was written by a version of the package that knows more than this one. */
export function isNewerFormat(format: unknown): format is number {
  return isNumber(format) && Number(format) > FORMAT
}

/** The row in this format, one step after the other; null where a step is missing, or fails on a damaged row. */
export function upcast(row: StoredRow, upcasters: Upcasters): StoredRow | null {
  let current = row
  while (current['format'] !== FORMAT) {
    const { format } = current
    if (typeof format !== 'number') return null
    const step = upcasters[format]
    if (step === undefined) return null
    try {
      current = { ...step(current), format: format + 1 }
    } catch {
      return null
    }
  }
  return current
}
