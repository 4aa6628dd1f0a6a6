import { UNFINISHED } from '../../protocol/conversation.ts'
import { OffstageError } from '../../protocol/error.ts'
import { FORMAT, type Row } from '../../protocol/fact.ts'
import { afterRow } from './apply-append.ts'
import { refuseUnsound } from './check-row.ts'
import { newRecord, type StoredRecord } from './record.ts'
import type { Placement } from './store.ts'

/**
 * Applies a part of an imported conversation, and returns the record and the rows. Null if a conversation with its id
 * exists. Throws `ownership-lost` if the earlier parts are gone. Pure.
 */
export function applyPlacement(
  found: StoredRecord | undefined,
  placement: Placement,
  epoch: number,
): { record: StoredRecord; rows: Row[] } | null {
  const { importId: appendId, conversationId, isLast } = placement
  const begun = beginning(found, placement, epoch)
  if (begun === null) return null
  const { broken: _unfinished, ...before } = begun
  let record: StoredRecord = before
  const rows: Row[] = []
  for (const row of placement.rows) {
    refuseUnsound(row)
    record = afterRow(record, row)
    rows.push({ ...row, format: FORMAT, conversationId, seq: record.lastSeq, appendId })
  }
  // Overrides the times of the rows: a rename among them must not change `updatedAt`.
  record = { ...record, updatedAt: placement.updatedAt }
  return { record: isLast ? record : { ...record, broken: UNFINISHED }, rows }
}

/** Whether a part was placed before, so that a repeat writes nothing. */
export function wasPlaced(
  found: StoredRecord | undefined,
  { importId, after }: Placement,
): found is StoredRecord {
  return found?.importId === importId && (after === 0 || found.lastSeq > after)
}

function beginning(
  found: StoredRecord | undefined,
  { conversationId, importId, createdAt, parent, after }: Placement,
  epoch: number,
): StoredRecord | null {
  const isHalf = found?.broken === UNFINISHED
  if (after === 0) {
    if (found && !isHalf) return null
    return {
      ...newRecord(conversationId, createdAt),
      epoch,
      importId,
      ...(parent && { parent }),
    }
  }
  if (isHalf && found.importId === importId && found.lastSeq === after) return found
  throw new OffstageError('ownership-lost', 'The conversation was deleted while it was imported.', {
    details: { deleted: true },
  })
}
