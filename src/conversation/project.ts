import type { Delta } from '../protocol/delta.ts'
import type { RunEventBody } from '../protocol/event.ts'
import type { Row, RowOf } from '../protocol/fact.ts'
import type { Usage, FinishReason } from '../protocol/message.ts'
import type { Live } from '../protocol/live.ts'
import { pendingCalls } from './pending.ts'
import { callParts } from './propose-call.ts'
import { resultOf } from './result.ts'
import type { CallState, ConversationState } from '../protocol/state.ts'

/** Where the events of one run stand. */
export interface Cursor {
  readonly runId: string
  /** The newest step, whose end is emitted once its calls are done. */
  readonly step: {
    readonly step: number
    readonly usage: Usage
    readonly finishReason: FinishReason
    readonly rawFinishReason?: string
  } | null
}

export interface Projection {
  readonly cursor: Cursor
  readonly events: readonly RunEventBody[]
}

/** The conversation after the fact or delta that is projected. */
export interface Moment {
  readonly state: ConversationState
  /** Before it, for the text of a step that it ends. */
  readonly live: Live
}

export function startCursor(runId: string): Cursor {
  return { runId, step: null }
}

/** The first event for whoever comes late: the run so far. */
export function snapshotEvent({ state, live }: Moment, runId: string): RunEventBody {
  const run = state.run?.runId === runId ? state.run : null
  const step = live.step?.runId === runId ? live.step : null
  const parked = live.waits?.reason ?? run?.parked
  const isShown = ({ message }: { message: { role: string; synthetic?: boolean } }): boolean =>
    !message.synthetic
  return {
    type: 'run-snapshot',
    messages: state.path.flatMap((node) =>
      node.runId === runId && isShown(node) ? node.message : [],
    ),
    pending: run ? pendingCalls(run) : [],
    step: step?.step ?? (run ? run.steps + (run.stepOpen ? 1 : 0) : 0),
    text: step?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '',
    ...(parked && { parked }),
  }
}

/** The events of the cursor's run that a fact comes to. Pure. */
export function projectFact(cursor: Cursor, row: Row, moment: Moment): Projection {
  if (row.runId !== cursor.runId) return { cursor, events: [] }
  switch (row.type) {
    case 'run-started': {
      const message = row.message && ({ role: 'user', ...row.message } as const)
      return { cursor, events: [{ type: 'run-start', message }] }
    }
    case 'step-started':
      return endStep(cursor)
    case 'model-output': {
      const { step, usage, finishReason, rawFinishReason } = row
      const raw = rawFinishReason === undefined ? {} : { rawFinishReason }
      const ended = endStep(cursor)
      return {
        cursor: { ...cursor, step: { step, usage, finishReason, ...raw } },
        events: [...ended.events, ...callEvents(row)],
      }
    }
    case 'run-parked':
      return { cursor, events: [{ type: 'run-parked', reason: row.reason }] }
    case 'run-continued':
      return { cursor, events: [{ type: 'run-continued' }] }
    case 'run-ended': {
      const ended = endStep(cursor)
      const result = resultOf(moment.state, cursor.runId, { outcome: row.end })
      return { cursor: ended.cursor, events: [...ended.events, { type: 'run-end', result }] }
    }
    case 'approval-requested':
    case 'approval-answered':
    case 'question-asked':
    case 'call-started':
    case 'call-interrupted':
    case 'call-settled':
      return { cursor, events: eventsOfCall(row, moment.state) }
    default:
      return { cursor, events: [] }
  }
}

/** The events of the cursor's run that a delta comes to. Pure. */
export function projectDelta(cursor: Cursor, delta: Delta, moment: Moment): Projection {
  if (delta.type === 'ownership-changed' || delta.runId !== cursor.runId)
    return { cursor, events: [] }
  switch (delta.type) {
    case 'attempt-started': {
      const ended = endStep(cursor)
      const { step, attempt } = delta
      return {
        cursor: ended.cursor,
        events: [...ended.events, { type: 'step-start', step, attempt }],
      }
    }
    case 'run-left': {
      const ended = endStep(cursor)
      const { state, live } = moment
      const result = resultOf(state, cursor.runId, { outcome: delta.outcome, live })
      return { cursor: ended.cursor, events: [...ended.events, { type: 'run-end', result }] }
    }
    default:
      return { cursor, events: [eventOf(delta)] }
  }
}

function eventOf(
  delta: Exclude<Delta, { type: 'attempt-started' | 'run-left' | 'ownership-changed' }>,
): RunEventBody {
  switch (delta.type) {
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
      return { type: delta.type, partId: delta.partId }
    case 'text-delta':
    case 'reasoning-delta':
      return { type: delta.type, partId: delta.partId, delta: delta.delta }
    case 'tool-input-start': {
      const { type, toolCallId, toolName } = delta
      return { type, toolCallId, toolName }
    }
    case 'tool-input-delta':
      return { type: delta.type, toolCallId: delta.toolCallId, delta: delta.delta }
    case 'tool-input-end':
      return { type: delta.type, toolCallId: delta.toolCallId }
    case 'step-reset':
      return { type: delta.type, step: delta.step, reason: delta.reason }
    case 'retry': {
      const { type, retries: attempt, delayMs, error } = delta
      return { type, attempt, delayMs, error }
    }
    case 'warning':
      return { type: delta.type, code: delta.code, message: delta.message }
    case 'raw':
      return { type: delta.type, data: delta.data }
    case 'tool-progress':
      return { type: delta.type, toolCallId: idOf(delta), progress: delta.progress }
    case 'tool-unavailable': {
      const { type, toolName, waitMs } = delta
      return { type, toolCallId: idOf(delta), toolName, waitMs }
    }
    case 'storage-waits': {
      const message = delta.message && ({ role: 'user', ...delta.message } as const)
      return { type: 'run-parked', reason: delta.reason, ...(message && { message }) }
    }
    case 'storage-takes':
      return { type: 'run-continued' }
    default:
      return delta satisfies never
  }
}

function endStep(cursor: Cursor): Projection {
  return cursor.step === null
    ? { cursor, events: [] }
    : { cursor: { ...cursor, step: null }, events: [{ type: 'step-end', ...cursor.step }] }
}

function callEvents({ message }: RowOf<'model-output'>): RunEventBody[] {
  return callParts(message).map((part) => {
    const { type, toolCallId, toolName, rescued } = part
    const ref = { type, toolCallId, toolName, ...(rescued && { rescued }) } as const
    return part.error ? { ...ref, error: part.error } : { ...ref, input: part.input }
  })
}

type CallRow = RowOf<
  | 'approval-requested'
  | 'approval-answered'
  | 'question-asked'
  | 'call-started'
  | 'call-interrupted'
  | 'call-settled'
>

function eventsOfCall(row: CallRow, { run, path }: ConversationState): RunEventBody[] {
  const toolCallId = idOf(row)
  const call =
    findCall(run?.calls ?? [], toolCallId) ??
    findCall(
      path.flatMap((n) => n.calls),
      toolCallId,
    )
  if (!call) return []
  const { toolName, input } = call
  const ref = { toolCallId, toolName }
  switch (row.type) {
    case 'approval-requested':
      return [{ type: 'tool-approval-request', ...ref, input }]
    case 'approval-answered': {
      const { approved, reason, input: edited } = row
      return [
        {
          type: 'tool-approval-response',
          toolCallId,
          approved,
          ...(reason !== undefined && { reason }),
          ...(edited !== undefined && { input: edited }),
        },
      ]
    }
    case 'question-asked': {
      const { question, options } = row
      return [{ type: 'question', toolCallId, question, ...(options && { options }) }]
    }
    case 'call-started':
      return [{ type: 'tool-execution-start', ...ref, input }]
    case 'call-interrupted':
      return [{ type: 'tool-interrupted', ...ref, input }]
    case 'call-settled':
      return [{ type: 'tool-result', ...ref, status: row.status, output: row.output }]
    default:
      return row satisfies never
  }
}

function findCall(calls: readonly CallState[], toolCallId: string): CallState | undefined {
  return calls.find((call) => call.toolCallId === toolCallId)
}

function idOf({ path }: { readonly path: readonly string[] }): string {
  return path.at(-1) ?? ''
}
