import { FORMAT } from '../../protocol/fact.ts'
import { isNumber } from '../../lib/shape.ts'

/** A row as it is stored, in any format. */
export type StoredRow = Readonly<Record<string, unknown>>

/**
 * Functions that convert a row to the next format, by the format they read. Pure. Rows are converted when
 * they are read, and never rewritten.
 */
export type Upcasters = Readonly<Record<number, (row: StoredRow) => StoredRow>>

/** Empty, because no older format was released. */
export const UPCASTERS: Upcasters = {}

/** Whether the format is newer than the one this version of the package writes. */
export function isNewerFormat(format: unknown): format is number {
  return isNumber(format) && Number(format) > FORMAT
}

/** Converts the row to the current format step by step; null if a step is missing or fails on a damaged row. */
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
