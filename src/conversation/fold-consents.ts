import type { RowOf } from '../protocol/fact.ts'
import type { Consent } from '../protocol/state.ts'
import type { Draft } from './draft.ts'
import { originOfTools } from './taint-walk.ts'

type ConsentRow = RowOf<
  | 'consent-given'
  | 'consent-revoked'
  | 'run-ended'
  | 'untrusted-taken-in'
  | 'descriptions-taken-in'
  | 'history-cleared'
>

/** What a person consents to beyond a call, and what ends it, on whatever branch: in the order of the rows. */
export function foldConsents({ state }: Draft, row: ConsentRow): void {
  if (row.type === 'consent-given') {
    const { consentId } = row
    const others = state.consents.filter((consent) => consent.consentId !== consentId)
    state.consents = [...others, consentOf(row)]
  } else if (state.consents.length > 0) {
    const left = state.consents.filter((consent) => !isEndedBy(consent, row))
    if (left.length < state.consents.length) state.consents = left
  }
}

function isEndedBy(
  { consentId, scope, runId }: Consent,
  row: Exclude<ConsentRow, { type: 'consent-given' }>,
): boolean {
  switch (row.type) {
    case 'consent-revoked':
      return row.consentId === consentId
    case 'run-ended':
      return scope.within === 'run' && runId === row.runId
    case 'untrusted-taken-in':
      return scope.openWorld === true && row.origin !== scope.source
    case 'descriptions-taken-in':
      return (
        scope.openWorld === true &&
        row.origins.some((origin) => origin !== originOfTools(scope.source ?? ''))
      )
    case 'history-cleared':
      return true
    default:
      return row satisfies never
  }
}

function consentOf({ consentId, scope, until, at, runId }: RowOf<'consent-given'>): Consent {
  return { consentId, scope, at, runId, ...(until !== undefined && { until }) }
}
