import type { RowsFound } from '../protocol/commands.ts'
import type { Row } from '../protocol/fact.ts'

/** How many are read at once. */
export const MOST_ROWS = 500

/** Rows of a conversation, as they are stored. */
export interface StoredRows {
  readonly rows: readonly Row[]
  /** There were more when they were read. */
  readonly hasMore: boolean
  /** What is wrong with the row after these, behind which nothing can be read. */
  readonly broken?: string
}

export function storedRows({ record, rows, fault }: RowsFound): StoredRows {
  const last = rows.at(-1)?.seq
  const hasMore = fault === null && last !== undefined && last < record.lastSeq
  return { rows, hasMore, ...(fault !== null && { broken: fault }) }
}
