import type { CallFacts, CallPath, RowOf } from '../protocol/fact.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { Message, ToolCallPart } from '../protocol/message.ts'
import type { CallState } from '../protocol/state.ts'

/** The calls of a model's output, in its order. */
export function proposedCalls({
  message,
  calls,
}: Pick<RowOf<'model-output'>, 'message' | 'calls'>): CallState[] {
  const byId = new Map(calls.map((facts) => [facts.toolCallId, facts]))
  return callParts(message).map((part) => ofPart(part, byId.get(part.toolCallId)))
}

/** A call that the call around it makes. */
export function nestedCall(row: RowOf<'call-proposed'>): CallState {
  const { path, toolName, title = null, source, input } = row
  const named = { toolName, title, ...(source !== undefined && { source }) }
  return { ...unprepared(path, input), ...named, known: true }
}

/** A call of an imported history: it waits for its output, unless it could not be read. */
export function importedCall(part: ToolCallPart): CallState {
  const call = ofPart(part, undefined)
  return { ...call, status: part.error ? 'invalid' : 'awaiting-output' }
}

/** The role isn't read: a stored output may be without it, and no other message has calls. */
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
