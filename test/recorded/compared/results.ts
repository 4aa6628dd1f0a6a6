import type { RunResult } from '../../../src/protocol/run.ts'
import type { RecordedRun } from '../recording.ts'
import { type Compared, mapResult, type RunInPlace } from './compared.ts'

/**
 * Drops details of results that aren't stored. Such a run ended for its handles only: its agent was disposed, another
 * tab took over, the conversation was deleted, or the end couldn't be stored. The page used to build the result from
 * what it had seen, or left it empty. Now the result contains the stored text, steps, usage and the status of each
 * call.
 */
export function withoutUnstoredDetails({ run, rows }: RunInPlace): RecordedRun {
  return mapResult(run, (result) => {
    if (result.outcome !== 'aborted') return result
    const isGivenUp = run.events.at(-2)?.type === 'run-paused'
    if (isStored(result, rows) && !isGivenUp) return result
    const { steps: _steps, usage: _usage, finishReason: _finish, text, toolCalls, ...rest } = result
    const told = toolCalls.map(({ status: _status, ...call }) => call)
    const isEmpty = ['taken-over', 'deleted'].includes(result.reason)
    return { ...rest, toolCalls: told, ...(!isEmpty && { text }) } as unknown as RunResult
  })
}

function isStored({ reason }: Aborted, rows: RunInPlace['rows']): boolean {
  const end = rows.find(({ type }) => type === 'run-ended')?.['end']
  return (end as Partial<Aborted> | undefined)?.reason === reason
}

type Aborted = Extract<RunResult, { readonly outcome: 'aborted' }>

const DOUBT = ' The tool was running; it may or may not have taken effect.'
const CUT_OFF = `The run was stopped.${DOUBT}`

/** The reason of a run whose conversation is deleted is one word, whichever tab deletes it. */
export function withDeletedInOneWord(recording: Compared): Compared {
  return JSON.parse(
    JSON.stringify(recording).replaceAll('"conversation deleted"', '"deleted"'),
  ) as Compared
}

/** A call that a stop cut off may have happened, which its output says since. */
export function withoutDoubts(recording: Compared): Compared {
  return JSON.parse(
    JSON.stringify(recording)
      .replaceAll(CUT_OFF, 'The run was stopped before this call ran.')
      .replaceAll(`.${DOUBT}`, '.'),
  ) as Compared
}
