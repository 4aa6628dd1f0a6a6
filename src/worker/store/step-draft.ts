import type { FactType, NewRow } from '../../protocol/fact.ts'
import type { StoredRecord } from './record.ts'
import type { StepDraft } from './store.ts'

/** Facts that end a step, or withdraw what was shown of it. */
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

/** Whether the writer of the draft still drives the conversation's open run. It may have slept meanwhile. */
export function isCurrent({ epoch, runId }: StepDraft, record: StoredRecord): boolean {
  return record.epoch === epoch && record.openRunId === runId
}
