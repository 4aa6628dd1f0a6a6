import type { FactType, NewRow } from '../../protocol/fact.ts'
import type { StoredRecord } from './record.ts'
import type { StepDraft } from './store.ts'

/** What ends a step, or withdraws what was shown of it. */
const ENDS: ReadonlySet<FactType> = new Set([
  'model-output',
  'step-cut',
  'attempt-failed',
  'run-started',
  'run-ended',
  'history-cleared',
])

/** Whether an append of these rows removes the conversation's draft. */
export function endsDraft(rows: readonly NewRow[]): boolean {
  return rows.some(({ type }) => ENDS.has(type))
}

/** Whether whoever writes the draft drives the conversation's open run: it may have slept meanwhile. */
export function isCurrent({ epoch, runId }: StepDraft, record: StoredRecord): boolean {
  return record.epoch === epoch && record.openRunId === runId
}
