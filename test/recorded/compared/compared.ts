import type { RunEventBody } from '../../../src/protocol/event.ts'
import type { RunResult } from '../../../src/protocol/run.ts'
import type { RecordedRequest, RecordedRun } from '../recording.ts'
import type { Plain } from './plain.ts'

export type Event = RunEventBody
export type EventOf<Type extends Event['type']> = Extract<Event, { readonly type: Type }>

export interface ComparedConversation {
  /** Rows as format 1 stored them. */
  readonly journal: readonly Plain[]
  readonly stored: Plain | null
}

/** A recording in the form that both formats have in common. */
export interface Compared {
  readonly runs: readonly RecordedRun[]
  readonly conversations: { readonly [conversationId: string]: ComparedConversation }
  readonly snapshots: { readonly [view: string]: readonly Plain[] }
  readonly requests: readonly RecordedRequest[]
  readonly executions: readonly unknown[]
  readonly answers: readonly unknown[]
  readonly notices: readonly unknown[]
}

/** A run with the rows of its conversation. */
export interface RunInPlace {
  readonly run: RecordedRun
  readonly rows: readonly Plain[]
}

export function mapRuns(recording: Compared, change: (run: RunInPlace) => RecordedRun): Compared {
  const runs = recording.runs.map((run) => {
    const rows = recording.conversations[run.conversationId]?.journal ?? []
    return change({ run, rows: rows.filter(({ runId }) => runId === run.runId) })
  })
  return { ...recording, runs }
}

/** The run with other events; its result, too, where they end with it. */
export function withEvents(run: RecordedRun, events: readonly Event[]): RecordedRun {
  const last = events.at(-1)
  return {
    ...run,
    events,
    result: last?.type === 'run-end' && run.result ? last.result : run.result,
  }
}

export function mapResult(run: RecordedRun, change: (result: RunResult) => RunResult): RecordedRun {
  return {
    ...run,
    events: run.events.map((event) =>
      event.type === 'run-end' ? { ...event, result: change(event.result) } : event,
    ),
    result: run.result && change(run.result),
  }
}
