import type { CallPath, RowOf, CallDetails } from '../protocol/fact.ts'
import { isOutcomeKey } from '../protocol/composite.ts'
import type { CallState, ChildState, MessageNode, RunState } from '../protocol/state.ts'
import { isSoonAfter } from './crash-loop.ts'
import type { Draft } from './state.ts'
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
  const toolCallId = row.path.at(-1) ?? ''
  let isTaken = false
  const holder = draft.changeNode(
    ({ calls }) => calls.some((call) => isNear(call, row)),
    (node) => {
      const calls = nextCalls(node.calls, row)
      isTaken = calls !== node.calls
      return isTaken ? { ...node, calls } : node
    },
  )
  const { run, older } = draft.state
  if (run?.calls.some((call) => isNear(call, row)))
    draft.changeRun({ calls: holder?.calls ?? nextCalls(run.calls, row) })
  if (row.type === 'child-started' || row.type === 'child-usage') foldChild(draft, row)
  // The message was cleared, or is older than the window. Only a windowed state can't tell which, so it becomes stale.
  if (holder === null) draft.state.isStale ||= older > 0
  else if (row.type === 'call-settled' && isTaken) addResult(draft, holder, { ...row, toolCallId })
  else if (row.type === 'undo-settled' && row.status === 'done') noteUndo(draft, holder, toolCallId)
=======
  else if (row.type === 'call-settled')
    addResult(draft, holder, { ...row, toolCallId: row.path.at(-1) ?? '' })
  else if (row.type === 'undo-settled' && row.status === 'done') noteUndo(draft, holder, row.path)
  draft.changeNode(
    ({ parentId, message }) =>
      message.role === 'tool' &&
      parentId === id &&
      message.parts.some((part) => part.toolCallId === toolCallId),
    (node) => {
      const message = node.message as ToolMessage
      const parts = message.parts.map((part) =>
        part.toolCallId === toolCallId ? { ...part, note: joinNotes(part.note, undone) } : part,
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
  return callParts(message).map((part) => ofPart(part, byId.get(part.toolCallId)))
}

/** A call made by another call. */
function nestedCall(row: RowOf<'call-proposed'>): CallState {
  const { path, toolName, title = null, source, input } = row
  const named = { toolName, title, ...(source !== undefined && { source }) }
  return { ...unprepared(path, input), ...named, known: true }
}

/** A call from an imported history. It waits for its output, unless the call was unreadable. */
export function importedCall(part: ToolCallPart): CallState {
  const call = ofPart(part, undefined)
  return { ...call, status: part.error ? 'invalid' : 'awaiting-output' }
}

/** The calls of a message. The role isn't checked: a stored output may lack it, and only assistants make calls. */
export function callParts({ parts }: Pick<Message, 'parts'>): ToolCallPart[] {
  return parts.filter((part) => part.type === 'tool-call')
}

function ofPart(part: ToolCallPart, facts: CallDetails | undefined): CallState {
  return {
    ...unprepared([part.toolCallId], part.input ?? null),
    toolName: part.toolName,
    title: facts?.title ?? null,
    ...(facts?.source !== undefined && { source: facts.source }),
    ...(facts?.readOnly === true && { readOnly: true }),
    error: part.error ?? null,
    known: facts?.known ?? false,
    parallel: facts?.parallel ?? false,
    finishes: facts?.finishes ?? false,
    rescued: part.rescued ?? facts?.rescued ?? false,
    quoted: facts?.quoted ?? false,
  }
}

function unprepared(path: CallPath, input: JsonValue): Omit<CallState, 'toolName'> {
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
