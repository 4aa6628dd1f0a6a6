import type { JsonValue } from '../../protocol/json.ts'
import type { ToolOutcome } from '../../protocol/questions.ts'
import { takenOver } from '../store/record.ts'
import type { Settlement } from './settlement.ts'
import type { Start } from './starts.ts'
import { ABORTED, TOO_LATE } from './tool-errors.ts'

export type Suspension = Extract<ToolOutcome, { status: 'suspended' }>

export type NotStartedReason = Extract<ToolOutcome, { status: 'not-started' }>['reason']

/** The end to store for a tool's outcome. Throws `ownership-lost` if another owner has taken over the run. */
export function settlementOf(
  { call, input }: Start,
  outcome: Exclude<ToolOutcome, Suspension>,
): Settlement {
  const note = call.edited ? editedNote(input) : undefined
  const noted = note === undefined ? {} : { note }
  switch (outcome.status) {
    case 'unknown':
      return { call, status: 'interrupted', output: outcome.output }
    case 'interrupted':
    case 'aborted':
      return { call, status: outcome.status, output: outcome.output }
    case 'succeeded':
    case 'failed': {
      const { status, output, untrusted } = outcome
      return { call, status, output, ...noted, ...(untrusted !== undefined && { untrusted }) }
    }
    case 'invalid':
      return { call, status: outcome.status, output: outcome.output, ...noted }
    case 'not-started':
      return { call, ...notStarted(outcome.reason) }
    default:
      return outcome satisfies never
  }
}

function editedNote(input: JsonValue): string {
  return `Note: a person changed the input of this call to ${JSON.stringify(input)} before it ran.`
}

function notStarted(reason: NotStartedReason): Pick<Settlement, 'status' | 'output'> {
  switch (reason) {
    case 'deadline':
      return { status: 'failed', output: TOO_LATE }
    case 'stale-epoch':
      throw takenOver()
    case 'cancelled':
    case 'changed':
    case 'not-registered':
    case 'unconfirmed':
      return { status: 'aborted', output: ABORTED }
    default:
      return reason satisfies never
  }
}
