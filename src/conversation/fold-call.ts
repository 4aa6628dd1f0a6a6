import type { CallPath, Row, RowOf, CallDetails } from '../protocol/fact.ts'
import { isOutcomeKey } from '../protocol/composite.ts'
import type { CallState, ChildState, MessageNode, RunState } from '../protocol/state.ts'
import { isSoonAfter } from './crash-loop.ts'
import { type Draft, pick } from './state.ts'
import type {
  RunUsage,
  ToolMessage,
  ToolResultPart,
  Message,
  ToolCallPart,
} from '../protocol/message.ts'
import { sumUsage } from './usage.ts'
import type { Question } from '../protocol/run.ts'
import type { JsonValue } from '../protocol/json.ts'

type CallRow = Extract<Row, { readonly path: CallPath }>

/** Folds a row into a call: in its message, and in the newest step of the run. */
export function foldCall(draft: Draft, row: CallRow): void {
  const toolCallId = row.path.at(-1) ?? ''
  let hasChanged = false
  const callNode = draft.changeNode(
    ({ calls }) => calls.some((call) => isAffected(call, row)),
    (node) => {
      const calls = nextCalls(node.calls, row)
      hasChanged = calls !== node.calls
      return hasChanged ? { ...node, calls } : node
    },
  )
  const { run, older } = draft.state
  if (run?.calls.some((call) => isAffected(call, row)))
    draft.changeRun({ calls: callNode?.calls ?? nextCalls(run.calls, row) })
  if (row.type === 'child-started' || row.type === 'child-usage') foldChild(draft, row)
  // If the message is missing, it was cleared or is older than the window. A windowed state can't tell which, so it
  // becomes stale.
  if (callNode === null) draft.state.isStale ||= older > 0
  else if (row.type === 'call-settled' && hasChanged)
    addResult(draft, callNode, { ...row, toolCallId })
  else if (row.type === 'undo-settled' && row.status === 'done') noteUndo(draft, callNode, row.path)
}

/** Whether this is the row's call, or the parent of a newly proposed nested call. */
function isAffected({ toolCallId }: CallState, { type, path }: CallRow): boolean {
  return toolCallId === path.at(type === 'call-proposed' ? -2 : -1)
}

function nextCalls(before: readonly CallState[], row: CallRow): readonly CallState[] {
  if (row.type === 'call-proposed') return withNested(before, nestedCall(row))
  const calls = row.type === 'approval-answered' ? withNote(before, row) : before
  const index = calls.findIndex(({ toolCallId }) => toolCallId === row.path.at(-1))
  const call = calls[index]
  const change = call && changeOf(call, row)
  // A late row must not change the status of an ended call: a hook may answer after its composite tool was removed.
  if (!change || (change.status && call.output)) return calls
  const next = calls.with(index, { ...call, ...change })
  return row.type === 'call-settled' ? withNestedEnd(next, row.path) : next
}

/** Adds the note of an answer to the outermost call, because the model gets no results of nested calls. */
function withNote(
  calls: readonly CallState[],
  { path, note }: RowOf<'approval-answered'>,
): readonly CallState[] {
  if (!note) return calls
  return calls.map((call) =>
    call.toolCallId === path[0] ? { ...call, note: joinNotes(call.note, note) } : call,
  )
}

/** Once a call's notes have more characters than this, the next note replaces them. */
const MOST_NOTES = 20_000

/** Adds a note. A repeated call may have added the same note already. */
function joinNotes(before: string | undefined, note: string): string {
  if (!before || before.length > MOST_NOTES) return note
  return before.endsWith(note) ? before : `${before}\n${note}`
}

/** Records in the parent call that a nested call has ended. */
function withNestedEnd(calls: readonly CallState[], path: CallPath): readonly CallState[] {
  return calls.map((call) =>
    call.toolCallId === path.at(-2) ? { ...call, ...withEnded(call, path.at(-1) ?? '') } : call,
  )
}

/** Records the end of a step or nested call. Progress resets `starts`, the crash count. */
function withEnded({ ended, starts }: CallState, id: string): Partial<CallState> {
  return ended.includes(id) ? { starts } : { ended: [...ended, id], starts: 0 }
}

function suspensionOf({ token, until, seen }: RowOf<'call-suspended'>): CallState['suspended'] {
  return seen === undefined ? { token, ...(until !== undefined && { until }) } : { seen }
}

/** Inserts a nested call after its parent and the parent's other nested calls. */
function withNested(calls: readonly CallState[], nested: CallState): readonly CallState[] {
  if (calls.some(({ toolCallId }) => toolCallId === nested.toolCallId)) return calls
  const parent = nested.path.at(-2) ?? ''
  const last = calls.findLastIndex(({ path }) => path.includes(parent))
  // If untrusted content may have dictated the parent call, it may have dictated the nested calls, too.
  const { quoted, rescued } = calls.find(({ toolCallId }) => toolCallId === parent) ?? nested
  return [...calls.slice(0, last + 1), { ...nested, quoted, rescued }, ...calls.slice(last + 1)]
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
      return { status: 'awaiting-answer', question: questionOf(row) }
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
      return { status: 'suspended', suspended: suspensionOf(row) }
    case 'step-outcome':
      return {
        outcomes: { ...call.outcomes, [row.key]: row.value },
        ...(isOutcomeKey(row.key) && withEnded(call, row.key)),
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
 * Resets the call to its proposal. A hook's change of the input is discarded, because the hook runs again; a person's
 * edit stays. All decisions are cleared, because the tool may have been replaced.
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

type ChildRow = RowOf<'child-started' | 'child-usage'>

/**
 * Folds a row into the child runs of the newest run. Doesn't need the call's message, which a windowed state may lack.
 */
function foldChild(draft: Draft, row: ChildRow): void {
  const { run } = draft.state
  if (run === null || run.runId !== row.runId) return
  const { children = [] } = run
  const index = children.findIndex(({ path }) => path.at(-1) === row.path.at(-1))
  const next = nextChild(children[index], row)
  if (next === null) return
  draft.changeRun({ children: index < 0 ? [...children, next] : children.with(index, next) })
}

function nextChild(before: ChildState | undefined, row: ChildRow): ChildState | null {
  if (row.type === 'child-usage') {
    const { usage, steps, activeMs, ended } = row
    return before ? { ...before, usage, steps, activeMs, isCounted: ended } : null
  }
  const { path, childConversationId: conversationId, childRunId: runId } = row
  const zeros = { steps: 0, usage: { modelCalls: 0 }, activeMs: 0, isCounted: false }
  return { path, conversationId, runId, ...zeros }
}

/** Usage of the run together with its child runs. Null if the run has no child runs. */
export function totalUsage({ usage, children }: RunState): RunUsage | null {
  return children ? children.reduce((sum, child) => sumUsage(sum, child.usage), usage) : null
}

/**
 * Whether the call can be undone. A failed undo may be tried again. An undo with an unknown outcome must not: it may
 * have taken effect.
 */
export function isUndoable({ status, decidedBy, undo }: CallState): boolean {
  return (
    status === 'succeeded' &&
    decidedBy?.undoable === true &&
    (undo === undefined || undo === 'failed')
  )
}

/** Folds a row about undoing a call. Null if nothing changes. */
function foldUndo(
  call: CallState,
  row: RowOf<'undo-started' | 'undo-settled'>,
): Partial<CallState> | null {
  if (row.type === 'undo-started') return isUndoable(call) ? { undo: 'unknown' } : null
  if (call.undo !== 'unknown') return null
  return { undo: row.status === 'done' ? 'done' : 'failed' }
}

/** The question of a call, without the other fields of its fact. */
export function questionOf(row: RowOf<'question-asked'>): Question {
  return pick(row, ['question', 'options', 'fields', 'sensitive'])
}

/** Adds a result to the tool message after the call's message, in the order of the calls. */
export function addResult(
  draft: Draft,
  { id, message }: MessageNode,
  { toolCallId, output, note }: Pick<ToolResultPart, 'toolCallId' | 'output' | 'note'>,
): void {
  const order = callParts(message)
  const call = order.find((part) => part.toolCallId === toolCallId)
  // Nested calls are not in the model's messages.
  if (call === undefined) return
  const { toolName, providerCallId } = call
  const result: ToolResultPart = {
    type: 'tool-result',
    toolCallId,
    toolName,
    ...(providerCallId && { providerCallId }),
    output,
    ...(note && { note }),
  }
  draft.changeNode(
    ({ parentId, message: { role } }) => role === 'tool' && parentId === id,
    (node) => ({ ...node, message: withResult(node.message as ToolMessage, order, result) }),
  )
}

/**
 * Notes in a call's result that the call was undone. For a nested call, the note is in the outermost call's result.
 * Without the note, the model would assume that the effect still exists.
 */
function noteUndo(draft: Draft, { id }: MessageNode, path: CallPath): void {
  const [toolCallId, nested] = path
  const note = `${nested ? 'A call within it' : 'This call'} was undone.`
  draft.changeNode(
    ({ parentId, message }) =>
      message.role === 'tool' &&
      parentId === id &&
      message.parts.some((part) => part.toolCallId === toolCallId),
    (node) => {
      const message = node.message as ToolMessage
      const parts = message.parts.map((part) =>
        part.toolCallId === toolCallId ? { ...part, note: joinNotes(part.note, note) } : part,
      )
      return { ...node, message: { ...message, parts } }
    },
  )
}

function withResult(
  message: ToolMessage,
  order: readonly { readonly toolCallId: string }[],
  result: ToolResultPart,
): ToolMessage {
  const results = new Map(message.parts.map((part) => [part.toolCallId, part]))
  results.set(result.toolCallId, result)
  return { ...message, parts: order.flatMap(({ toolCallId }) => results.get(toolCallId) ?? []) }
}

/** The calls in a model's output, in order. */
export function proposedCalls({
  message,
  calls,
}: Pick<RowOf<'model-output'>, 'message' | 'calls'>): CallState[] {
  const byId = new Map(calls.map((facts) => [facts.toolCallId, facts]))
  return callParts(message).map((part) => callFromPart(part, byId.get(part.toolCallId)))
}

/** A call made by another call. */
function nestedCall(row: RowOf<'call-proposed'>): CallState {
  const { path, toolName, title = null, source, input } = row
  const named = { toolName, title, ...(source !== undefined && { source }) }
  return { ...newCall(path, input), ...named, known: true }
}

/** A call from an imported history. It waits for its output, unless the call was unreadable. */
export function importedCall(part: ToolCallPart): CallState {
  const call = callFromPart(part, undefined)
  return { ...call, status: part.error ? 'invalid' : 'awaiting-output' }
}

/** The calls of a message. Doesn't check the role: a stored output may lack it, and only assistants make calls. */
export function callParts({ parts }: Pick<Message, 'parts'>): ToolCallPart[] {
  return parts.filter((part) => part.type === 'tool-call')
}

function callFromPart(part: ToolCallPart, facts: CallDetails | undefined): CallState {
  return {
    ...newCall([part.toolCallId], part.input ?? null),
    toolName: part.toolName,
    title: facts?.title ?? null,
    ...(facts && pick(facts, ['source', 'known', 'parallel', 'finishes', 'quoted'])),
    ...(facts?.readOnly === true && { readOnly: true }),
    error: part.error ?? null,
    rescued: part.rescued ?? facts?.rescued ?? false,
  }
}

function newCall(path: CallPath, input: JsonValue): Omit<CallState, 'toolName'> {
  return {
    path,
    toolCallId: path.at(-1) ?? '',
    title: null,
    input,
    modelInput: input,
    edited: false,
    error: null,
    known: false,
    parallel: false,
    finishes: false,
    rescued: false,
    quoted: false,
    asks: false,
    question: null,
    status: 'proposed',
    output: null,
    executionId: null,
    starts: 0,
    startedAt: 0,
    endedAt: 0,
    withdrawals: 0,
    mayHaveBegun: false,
    decidedBy: null,
    suspended: null,
    outcomes: {},
    ended: [],
    child: null,
    resolvedAs: null,
  }
}
