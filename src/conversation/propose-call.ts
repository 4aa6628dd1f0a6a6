import type { CallFacts, CallPath, RowOf } from '../protocol/fact.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { Message, ToolCallPart } from '../protocol/message.ts'
import type { CallState } from '../protocol/state.ts'

/** The calls in a model's output, in order. */
export function proposedCalls({
  message,
  calls,
}: Pick<RowOf<'model-output'>, 'message' | 'calls'>): CallState[] {
  const byId = new Map(calls.map((facts) => [facts.toolCallId, facts]))
  return callParts(message).map((part) => ofPart(part, byId.get(part.toolCallId)))
}

/** A call made by another call. */
export function nestedCall(row: RowOf<'call-proposed'>): CallState {
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

function ofPart(part: ToolCallPart, facts: CallFacts | undefined): CallState {
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
