import type { RowsFound } from '../../protocol/worker-calls.ts'
import type { Row } from '../../protocol/fact.ts'

/** Most rows that are read at once. */
export const MOST_ROWS = 500

/** Stored rows of a conversation. */
export interface StoredRows {
  readonly rows: readonly Row[]
  /** True if there were more rows when these were read. */
  readonly hasMore: boolean
  /** Error of the next row. That row and all later ones can't be read. */
  readonly broken?: string
}

export function storedRows({ record, rows, fault }: RowsFound): StoredRows {
  const last = rows.at(-1)?.seq
  const hasMore = fault === null && last !== undefined && last < record.lastSeq
  return { rows, hasMore, ...(fault !== null && { broken: fault }) }
}
