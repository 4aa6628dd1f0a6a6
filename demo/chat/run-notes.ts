import type { ParkReason, RunEvent, RunResult, RunUsage } from 'offstage'

/** What the line under the composer says of a run, and how far its tools are. */
export interface RunNotes {
  readonly state: string
  readonly usage: string
  /** By tool call. */
  readonly progress: ReadonlyMap<string, string>
}

export const noNotes: RunNotes = { state: 'Ready', usage: '', progress: new Map() }

/** The notes after an event. Most events change nothing in them. */
export function noteEvent(notes: RunNotes, event: RunEvent): RunNotes {
  switch (event.type) {
    case 'run-start':
      return { ...noNotes, state: 'Starting…' }
    case 'run-snapshot':
      return { ...notes, state: event.pending.length ? 'Waiting for you' : 'Going on…' }
    case 'run-parked':
      return { ...notes, state: PARKED[event.reason] }
    case 'run-continued':
      return { ...notes, state: 'Going on…' }
    case 'step-start':
      return { ...notes, state: `Step ${event.step}…` }
    case 'tool-execution-start':
      return { ...notes, state: `Running ${event.toolName}…` }
    case 'tool-progress': {
      const text = String(event.progress)
      return { ...notes, progress: new Map(notes.progress).set(event.toolCallId, text) }
    }
    case 'tool-approval-request':
    case 'tool-interrupted':
      return { ...notes, state: 'Waiting for you' }
    case 'tool-unavailable':
      return { ...notes, state: `Waiting for the tool ${event.toolName}…` }
    case 'retry':
      return { ...notes, state: `Trying again in ${Math.ceil(event.delayMs / 1000)} s…` }
    case 'run-end':
      return { ...notes, state: stateAtEnd(event.result), usage: describeUsage(event.result) }
    default:
      return notes
  }
}

const PARKED: Readonly<Record<ParkReason, string>> = {
  'crash-loop': 'Resting: this step crashed the page again and again',
  'storage-full': "Resting: the browser's storage is full",
  'storage-blocked': 'Resting: another tab blocks the storage',
  'storage-newer': 'Resting: reload the page',
  'storage-failed': 'Resting: the storage fails',
}

function stateAtEnd(result: RunResult): string {
  switch (result.outcome) {
    case 'completed':
      return 'Done'
    case 'max-steps':
      return 'Stopped at the step limit'
    case 'limit':
      return `Stopped at the limit of ${result.limit}`
    case 'aborted':
      return 'Stopped'
    case 'failed':
      return 'Failed'
    case 'waiting':
      return 'Waiting for you'
  }
}

function describeUsage({ steps, usage }: { steps: number; usage: RunUsage }): string {
  const { inputTokens, outputTokens } = usage
  const tokens =
    inputTokens === undefined && outputTokens === undefined
      ? 'tokens not reported'
      : `${inputTokens ?? '?'} tokens in, ${outputTokens ?? '?'} out`
  return `${steps} ${steps === 1 ? 'step' : 'steps'} · ${tokens}`
}
