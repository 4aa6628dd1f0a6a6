import { callParts } from '../../conversation/propose-call.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { FactOf, NewRow } from '../../protocol/fact.ts'
import type { StoredRecord } from './record.ts'

/** Most open calls in a record. Each row that opens or settles a call copies the list. */
const MAX_OPEN_CALLS = 1000

/**
 * The calls without an outcome after this row. A conversation can be found by them without reading rows. Throws
 * `invalid-input` for more than 1000.
 */
export function openCallsAfter(record: StoredRecord, row: NewRow): readonly string[] {
  const open = changedBy(record, row)
  if (open.length <= MAX_OPEN_CALLS) return open
  throw new OffstageError(
    'invalid-input',
    `A conversation can have at most ${MAX_OPEN_CALLS} unfinished calls.`,
  )
}

function changedBy({ openCalls: open, openRunId }: StoredRecord, row: NewRow): readonly string[] {
  switch (row.type) {
    case 'model-output':
      return row.runId === openRunId
        ? callParts(row.message).map(({ toolCallId }) => toolCallId)
        : open
    case 'call-proposed':
      return [...open, ...row.path.slice(-1)]
    case 'call-settled':
      return open.filter((toolCallId) => toolCallId !== row.path.at(-1))
    case 'run-ended':
      return row.runId !== openRunId || row.end.outcome === 'waiting' ? open : []
    case 'messages-imported':
      return afterImport(open, row)
    case 'run-started':
    case 'history-cleared':
      return []
    default:
      return open
  }
}

/**
 * Imported calls without a result wait for their outputs, unless the call was unreadable. Results settle calls
 * that were imported earlier.
 */
function afterImport(
  open: readonly string[],
  { messages }: FactOf<'messages-imported'>,
): readonly string[] {
  const after = new Set(open)
  for (const message of messages) {
    if (message.role === 'assistant')
      for (const { toolCallId, error } of callParts(message))
        if (error === undefined) after.add(toolCallId)
    if (message.role === 'tool')
      for (const { toolCallId } of message.parts) after.delete(toolCallId)
  }
  return [...after]
}
