import type { Delta, Live } from '../protocol/delta.ts'
import type { RunEventBody } from '../protocol/event.ts'
import type { CallPath, Row, RowOf } from '../protocol/fact.ts'
import type { Message } from '../protocol/message.ts'
import type { RunOutcome } from '../protocol/run.ts'
import type { CallState, ConversationState, RunState, StepOutput } from '../protocol/state.ts'
import { outputOf } from './fold-run.ts'
import { pendingCalls, approvalDetails, shownRememberable } from './pending.ts'
import { finishingCall, resultOf } from './result.ts'
import type { ErrorData } from '../protocol/error.ts'
import { questionOf, callParts } from './fold-call.ts'

/** The files of a model's output. */
function fileEvents({ message }: RowOf<'model-output'>): RunEventBody[] {
  const { id: messageId, parts } = message
  return parts.flatMap((file) => (file.type === 'file' ? { type: 'file', messageId, file } : []))
}

/** The calls of a model's output. */
function proposalEvents({ message }: RowOf<'model-output'>): RunEventBody[] {
  return callParts(message).map((part) => {
    const { type, toolCallId, toolName, rescued } = part
    const ref = { type, toolCallId, toolName, ...(rescued && { rescued }) } as const
    return part.error ? { ...ref, error: part.error } : { ...ref, input: part.input }
  })
}

type CallRow = RowOf<
  | 'call-proposed'
  | 'approval-requested'
  | 'approval-answered'
  | 'question-asked'
  | 'call-started'
  | 'call-suspended'
  | 'call-interrupted'
  | 'call-settled'
>

/** Events of a row about a call. The state already includes the row. */
function callEvents(row: CallRow, { run, path }: ConversationState): RunEventBody[] {
  const toolCallId = row.path.at(-1) ?? ''
  const isRowCall = (call: CallState): boolean => call.toolCallId === toolCallId
  const call = run?.calls.find(isRowCall) ?? path.flatMap(({ calls }) => calls).find(isRowCall)
  if (!call) return []
  const { toolName, input } = call
  const pathField = row.path.length > 1 && { path: row.path }
  const ref = { toolCallId, toolName, ...pathField }
  switch (row.type) {
    case 'call-proposed':
      return [{ type: 'tool-call', ...ref, input }]
    case 'approval-requested':
      return [
        {
          type: 'tool-approval-request',
          ...ref,
          input,
          ...approvalDetails(call),
          ...shownRememberable(call),
        },
      ]
    case 'approval-answered': {
      const { approved, reason, input: edited } = row
      return [
        {
          type: 'tool-approval-response',
          toolCallId,
          ...pathField,
          approved,
          ...(reason !== undefined && { reason }),
          ...(edited !== undefined && { input: edited }),
        },
      ]
    }
    case 'question-asked':
      return [{ type: 'question', toolCallId, ...pathField, ...questionOf(row) }]
    case 'call-started':
      return [{ type: 'tool-execution-start', ...ref, input }]
    case 'call-suspended':
      // A composite function that runs again emits no event.
      if (row.seen !== undefined) return []
      return [
        {
          type: 'tool-suspended',
          ...ref,
          resumeToken: row.token,
          ...(row.until !== undefined && { until: row.until }),
        },
      ]
    case 'call-interrupted':
      return [{ type: 'tool-interrupted', ...ref, input }]
    case 'call-settled':
      return [{ type: 'tool-result', ...ref, status: row.status, output: row.output }]
    default:
      return row satisfies never
  }
}

/** Converts a delta to its event. */
function deltaEvent(
  delta: Exclude<Delta, { type: 'attempt-started' | 'run-left' | 'ownership-changed' }>,
): RunEventBody {
  switch (delta.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
    case 'tool-input-delta':
    case 'tool-input-end':
    case 'warning':
    case 'raw': {
      const { runId: _run, step: _step, attempt: _attempt, ...event } = delta
      return event
    }
    case 'request': {
      const { type, step, attempt, request } = delta
      return { type, step, attempt, request }
    }
    case 'tool-input-start': {
      const { type, toolCallId, toolName } = delta
      return { type, toolCallId, toolName }
    }
    case 'step-reset':
      return { type: delta.type, step: delta.step, reason: delta.reason }
    case 'retry': {
      const { type, retries: attempt, delayMs, error } = delta
      return { type, attempt, delayMs, error }
    }
    case 'tool-progress':
      return { type: delta.type, ...refOf(delta.path), progress: delta.progress }
    case 'tool-unavailable': {
      const { type, toolName, waitMs } = delta
      return { type, ...refOf(delta.path), toolName, waitMs }
    }
    case 'storage-waits': {
      const message = delta.message && ({ role: 'user', ...delta.message } as const)
      return { type: 'run-paused', reason: delta.reason, ...(message && { message }) }
    }
    case 'storage-takes':
      return { type: 'run-continued' }
    default:
      return delta satisfies never
  }
}

/** Identifies a call in events. Only nested calls have a path. */
function refOf(path: CallPath): { readonly toolCallId: string; readonly path?: CallPath } {
  return { toolCallId: path.at(-1) ?? '', ...(path.length > 1 && { path }) }
}

const REPLACED: ErrorData = {
  code: 'answer-replaced',
  message: 'The answer was reflected on, and a better one takes its place.',
  retryable: false,
}

/** Events of a reflection. A replacement withdraws the shown answer, then emits the new text. */
function reflectionEvents(
  row: RowOf<'answer-reflected'>,
  { path }: ConversationState,
): RunEventBody[] {
  const { type, step, messageId, mode, text } = row
  if (text === null) return []
  const answer = path.findLast(({ id }) => id === messageId)
  // The text of a `finish_task` answer was shown as part of that call.
  const isShown = mode === 'replace' && answer !== undefined && !finishingCall(answer)
  const partId = `${step}.reflection`
  return [
    ...(isShown
      ? ([
          { type: 'step-reset', step, reason: REPLACED },
          { type: 'text-start', partId },
          { type: 'text-delta', partId, delta: text },
          { type: 'text-end', partId },
        ] as const)
      : []),
    { type, step, messageId, mode, text },
  ]
}

/** Position in the events of one run. */
export interface Cursor {
  readonly runId: string
  /** The newest step with an output. Its `step-end` event is emitted once its calls are done. */
  readonly step: StepOutput | null
  /** The run's end was emitted. No event follows. */
  readonly isOver: boolean
}

/** Events of one fact or delta, and the cursor for the next one. */
export interface Projection {
  readonly cursor: Cursor
  readonly events: readonly RunEventBody[]
}

/** The conversation at a fact or delta. */
export interface Moment {
  /** State after the fact or delta. */
  readonly state: ConversationState
  /** Live deltas before the fact or delta. If it ends a step, they still hold the step's text. */
  readonly live: Live
}

/** Cursor before the first event of a run. */
export function startCursor(runId: string): Cursor {
  return { runId, step: null, isOver: false }
}

/** Cursor for a listener that joins a running run. From here on, it gets the same events as all others. */
export function joinCursor({ state, live }: Moment, runId: string): Cursor {
  const output = state.run?.runId === runId ? state.run.output : null
  // The next step may stream before its `step-started` is stored. The output's step has then ended.
  const isEnded = output !== null && live.step?.runId === runId && live.step.step > output.step
  return { runId, step: isEnded ? null : output, isOver: false }
}

/** First event for a late listener: the run so far. */
function snapshotEvent({ state, live }: Moment, runId: string): RunEventBody {
  const run = state.run?.runId === runId ? state.run : null
  // An abandoned step is streamed again from its start.
  const step = live.step?.runId === runId && !live.step.isLeft ? live.step : null
  const paused = live.waits?.reason ?? run?.paused
  return {
    type: 'run-snapshot',
    messages: state.path.flatMap(({ runId: id, message }) =>
      id === runId && !isSynthetic(message) ? message : [],
    ),
    pending: run ? pendingCalls(run) : [],
    step: step?.step ?? (run ? run.steps + (run.stepOpen ? 1 : 0) : 0),
    text: step?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '',
    ...(paused && { paused }),
  }
}

function isSynthetic(message: Message): boolean {
  return message.role === 'user' && message.synthetic === true
}

/** Events for a handle that joins a run in the middle, or joins it again. Pure. */
export function catchUpEvents(moment: Moment, runId: string): RunEventBody[] {
  const snapshot = snapshotEvent(moment, runId)
  const { state } = moment
  if (state.run?.follows?.runId === runId)
    return [snapshot, ...previousRunEnd(state, state.run.runId, state.run.follows)]
  const run = state.run?.runId === runId ? state.run : null
  if (run?.end)
    return [snapshot, { type: 'run-end', result: resultOf(state, runId, { outcome: run.end }) }]
  return run?.paused ? [snapshot, { type: 'run-paused', reason: run.paused }] : [snapshot]
}

/** Last events of the run before the newest one. The newest run's first messages had been sent to the run before. */
function previousRunEnd(
  state: ConversationState,
  nextRunId: string,
  { runId, end }: NonNullable<RunState['follows']>,
): RunEventBody[] {
  const delivered = state.path.flatMap(({ id, runId: nodeRunId, kind }): RunEventBody[] =>
    nodeRunId === nextRunId && kind === 'user'
      ? [{ type: 'message-delivered', messageId: id, nextRunId }]
      : [],
  )
  return [...delivered, { type: 'run-end', result: resultOf(state, runId, { outcome: end }) }]
}

/** Converts a fact to events of the cursor's run. Pure. */
export function projectFact(cursor: Cursor, row: Row, moment: Moment): Projection {
  if (row.runId !== cursor.runId || cursor.isOver) return { cursor, events: [] }
  switch (row.type) {
    case 'run-started': {
      const message = row.message && ({ role: 'user', ...row.message } as const)
      return { cursor, events: [{ type: 'run-start', message }] }
    }
    case 'step-started':
      return endStep(cursor)
    case 'model-output': {
      const { events } = endStep(cursor)
      return {
        cursor: { ...cursor, step: outputOf(row) },
        events: [...events, ...fileEvents(row), ...proposalEvents(row)],
      }
    }
    case 'step-cut': {
      const { step, usage, continues } = row
      const events = continues
        ? [{ type: 'step-end', step, usage, finishReason: 'other' } as const]
        : []
      return { cursor, events }
    }
    case 'answer-rejected': {
      const { type, step, message } = row
      return { cursor, events: [{ type, step, feedback: message.text }] }
    }
    case 'answer-reflected':
      return { cursor, events: reflectionEvents(row, moment.state) }
    case 'run-paused':
      return { cursor, events: [{ type: 'run-paused', reason: row.reason }] }
    case 'run-continued':
      return { cursor, events: [{ type: 'run-continued' }] }
    case 'message-queued':
      return { cursor, events: [{ type: row.type, message: { role: 'user', ...row.message } }] }
    case 'message-delivered':
      return { cursor, events: [{ type: row.type, messageId: row.messageId }] }
    case 'message-withdrawn':
      return { cursor, events: [withdrawalEvent(row)] }
    case 'run-ended': {
      const ended = endRun(cursor, moment.state, { outcome: row.end })
      return { ...ended, events: [...nextRunDeliveries(row, moment.state), ...ended.events] }
    }
    case 'call-proposed':
    case 'approval-requested':
    case 'approval-answered':
    case 'question-asked':
    case 'call-started':
    case 'call-suspended':
    case 'call-interrupted':
    case 'call-settled':
      return { cursor, events: callEvents(row, moment.state) }
    default:
      return { cursor, events: [] }
  }
}

/** Reports the messages sent with `after-run`, which begin the next run, as delivered. */
function nextRunDeliveries(
  { next }: RowOf<'run-ended'>,
  { queue }: ConversationState,
): RunEventBody[] {
  if (next === undefined) return []
  return queue.flatMap(({ id, when }): RunEventBody[] =>
    when === 'after-run' ? [{ type: 'message-delivered', messageId: id, nextRunId: next }] : [],
  )
}

function withdrawalEvent({ type, messageId, returned }: RowOf<'message-withdrawn'>): RunEventBody {
  return returned
    ? { type: 'message-returned', message: { role: 'user', ...returned } }
    : { type, messageId }
}

/** Converts a delta to events of the cursor's run. Pure. */
export function projectDelta(cursor: Cursor, delta: Delta, moment: Moment): Projection {
  if (delta.type === 'ownership-changed' || delta.runId !== cursor.runId || cursor.isOver)
    return { cursor, events: [] }
  switch (delta.type) {
    case 'attempt-started': {
      const ended = endStep(cursor)
      const { step, attempt } = delta
      return { ...ended, events: [...ended.events, { type: 'step-start', step, attempt }] }
    }
    case 'run-left':
      return endRun(cursor, moment.state, { outcome: delta.outcome, live: moment.live })
    default:
      return { cursor, events: [deltaEvent(delta)] }
  }
}

function endStep(cursor: Cursor): Projection {
  return cursor.step === null
    ? { cursor, events: [] }
    : { cursor: { ...cursor, step: null }, events: [{ type: 'step-end', ...cursor.step }] }
}

function endRun(
  cursor: Cursor,
  state: ConversationState,
  end: { readonly outcome: RunOutcome; readonly live?: Live },
): Projection {
  const ended = endStep(cursor)
  const result = resultOf(state, cursor.runId, end)
  return {
    cursor: { ...ended.cursor, isOver: true },
    events: [...ended.events, { type: 'run-end', result }],
  }
}
