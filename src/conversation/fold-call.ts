import type { CallPath, RowOf } from '../protocol/fact.ts'
import { isOutcomeKey } from '../protocol/composite.ts'
import type { CallState } from '../protocol/state.ts'
import { addNote, addResult } from './add-result.ts'
import { askedQuestion } from './asked-question.ts'
import { foldChild } from './fold-child.ts'
import { isSoonAfter } from './crash-loop.ts'
import type { Draft } from './draft.ts'
import { nestedCall } from './propose-call.ts'
import { foldUndo } from './undo.ts'

type CallRow = RowOf<
  | 'call-proposed'
  | 'approval-requested'
  | 'approval-answered'
  | 'question-asked'
  | 'question-answered'
  | 'output-requested'
  | 'call-started'
  | 'call-withdrawn'
  | 'call-suspended'
  | 'step-outcome'
  | 'child-started'
  | 'child-usage'
  | 'call-interrupted'
  | 'interruption-resolved'
  | 'call-settled'
  | 'undo-started'
  | 'undo-settled'
>

/** Folds a row into a call: in its message, and in the newest step of the run. */
export function foldCall(draft: Draft, row: CallRow): void {
  const holder = draft.changeNode(
    ({ calls }) => calls.some((call) => isNear(call, row)),
    (node) => {
      const calls = nextCalls(node.calls, row)
      return calls === node.calls ? node : { ...node, calls }
    },
  )
  const { run, older } = draft.state
  if (run?.calls.some((call) => isNear(call, row)))
    draft.changeRun({ calls: holder?.calls ?? nextCalls(run.calls, row) })
  if (row.type === 'child-started' || row.type === 'child-usage') foldChild(draft, row)
  // The message was cleared, or is older than the window. Only a windowed state can't tell which, so it becomes stale.
  if (holder === null) draft.state.isStale ||= older > 0
  else if (row.type === 'call-settled')
    addResult(draft, holder, { ...row, toolCallId: row.path.at(-1) ?? '' })
  else if (row.type === 'undo-settled' && row.status === 'done')
    addNote(draft, holder, { toolCallId: row.path.at(-1) ?? '', note: UNDONE })
}

/** Tells the model, which would otherwise assume that the effect still exists. */
const UNDONE = 'What this call did was undone by the person.'

/** Whether this is the row's call, or the parent of a newly proposed nested call. */
function isNear({ toolCallId }: CallState, { type, path }: CallRow): boolean {
  return toolCallId === path.at(type === 'call-proposed' ? -2 : -1)
}

function nextCalls(calls: readonly CallState[], row: CallRow): readonly CallState[] {
  if (row.type === 'call-proposed') return withNested(calls, nestedCall(row))
  const index = calls.findIndex(({ toolCallId }) => toolCallId === row.path.at(-1))
  const call = calls[index]
  const change = call && changeOf(call, row)
  if (!change) return calls
  const next = calls.with(index, { ...call, ...change })
  return row.type === 'call-settled' ? withNestedEnd(next, row.path) : next
}

/** Records in the parent call that a nested call has ended. */
function withNestedEnd(calls: readonly CallState[], path: CallPath): readonly CallState[] {
  const index = calls.findIndex(({ toolCallId }) => toolCallId === path.at(-2))
  const parent = calls[index]
  return parent ? calls.with(index, { ...parent, ...endedWith(parent, path.at(-1) ?? '') }) : calls
}

/** Records the end of a step or nested call. Progress resets `starts`, the crash count. */
function endedWith({ ended, starts }: CallState, id: string): Partial<CallState> {
  return ended.includes(id) ? { starts } : { ended: [...ended, id], starts: 0 }
}

function suspensionBy({ token, until, seen }: RowOf<'call-suspended'>): CallState['suspended'] {
  return seen === undefined ? { token, ...(until !== undefined && { until }) } : { seen }
}

/** Inserts a nested call after its parent and the parent's other nested calls. */
function withNested(calls: readonly CallState[], nested: CallState): readonly CallState[] {
  if (calls.some(({ toolCallId }) => toolCallId === nested.toolCallId)) return calls
  const parent = nested.path.at(-2) ?? ''
  const last = calls.findLastIndex(({ path }) => path.includes(parent))
  // If the parent call may be quoted from untrusted content, so may its nested calls.
  const quoted = calls.some(({ toolCallId, quoted: is }) => is && toolCallId === parent)
  return [...calls.slice(0, last + 1), { ...nested, quoted }, ...calls.slice(last + 1)]
}

function changeOf(
  call: CallState,
  row: Exclude<CallRow, { type: 'call-proposed' }>,
): Partial<CallState> | null {
  switch (row.type) {
    case 'approval-requested':
      return requestOf(call, row)
    case 'approval-answered':
      if (!row.approved) return null
      return {
        status: 'approved',
        ...(row.input !== undefined && { input: row.input, edited: true }),
      }
    case 'question-asked':
      return { status: 'awaiting-answer', question: askedQuestion(row) }
    case 'question-answered':
      return null
    case 'output-requested':
      return {
        status: 'awaiting-output',
        input: row.input,
        asks: row.asks,
        ...(row.untrusted !== undefined && { untrusted: row.untrusted }),
      }
    case 'call-started':
      return startOf(call, row)
    case 'call-withdrawn':
      return withdrawalOf(call)
    case 'call-suspended':
      return { status: 'suspended', suspended: suspensionBy(row) }
    case 'step-outcome':
      return {
        outcomes: { ...call.outcomes, [row.key]: row.value },
        ...(isOutcomeKey(row.key) && endedWith(call, row.key)),
      }
    case 'child-started':
      return { child: { conversationId: row.childConversationId, runId: row.childRunId } }
    case 'child-usage':
      return row.ended && call.child ? { child: { ...call.child, isCounted: true } } : null
    case 'call-interrupted':
      return { status: 'awaiting-decision' }
    case 'interruption-resolved':
      return {
        resolvedAs: row.verdict,
        ...(row.verdict === 'run-again' && { status: 'approved' }),
      }
    case 'call-settled':
      return { status: row.status, output: row.output, endedAt: row.at, suspended: null }
    case 'undo-started':
    case 'undo-settled':
      return foldUndo(call, row)
    default:
      return row satisfies never
  }
}

/** Overwrites an earlier request. Fields that the new request lacks become undefined. */
function requestOf(call: CallState, row: RowOf<'approval-requested'>): Partial<CallState> {
  const { about, because, rememberable, input, by, seq: askedAt } = row
  return {
    status: 'awaiting-approval',
    input,
    decidedBy: by,
    ...((about ?? call.about) && { about }),
    ...((rememberable ?? call.rememberable) && { rememberable }),
    askedAt,
    ...((because ?? call.because) && { because }),
  }
}

function startOf(call: CallState, row: RowOf<'call-started'>): Partial<CallState> {
  return {
    status: 'executing',
    executionId: row.executionId,
    starts: isSoonAfter(call.startedAt, row.at) ? call.starts + 1 : 1,
    startedAt: row.at,
    mayHaveBegun: row.repeats,
    decidedBy: row.by,
    suspended: null,
    ...(row.input !== undefined && { input: row.input }),
  }
}

/**
 * Resets the call to its proposal. An input changed by a hook is discarded, and the hook runs again; a person's edit
 * stays. The tool may be a different one now, so everything decided about it is cleared.
 */
function withdrawalOf(call: CallState): Partial<CallState> {
  const count = call.status === 'executing' ? 1 : 0
  return {
    status: 'proposed',
    executionId: null,
    starts: call.starts - count,
    withdrawals: call.withdrawals + count,
    parallel: false,
    decidedBy: null,
    suspended: null,
    ...(!call.edited && { input: call.modelInput }),
  }
}
