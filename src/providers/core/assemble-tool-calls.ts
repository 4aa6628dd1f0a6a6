import type { StreamPart } from '../../protocol/stream-part.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import { createArgumentText, type ArgumentText } from './argument-text.ts'
import { newCallId } from './new-call-id.ts'
import { callParts, type OutputEnd, type Settlement } from './read-input.ts'
import { secondAnswer } from './transport-error.ts'

/** What a chunk holds of a call. Anything may be missing; arguments may be the whole value. */
export interface CallDelta {
  readonly id?: string | undefined
  readonly index?: number | undefined
  /** Its place among the calls of its chunk. */
  readonly place?: number
  readonly name?: string | undefined
  readonly args?: string | undefined
}

export interface ToolCallAssembler {
  push(delta: CallDelta): StreamPart[]
  /** The message was opened again, or is over: calls at numbers that are taken are not of this answer. */
  reopen(): void
  /** Every call, in the order in which they were opened, and warnings. */
  finish(end: OutputEnd): StreamPart[]
  /** Calls opened so far. */
  count(): number
  /** A call with this id was opened. */
  has(id: string): boolean
}

interface OpenCall {
  readonly toolCallId: string
  providerId: string | undefined
  /** The id as it is used here differs from the provider's. */
  isRenamed: boolean
  index: number | undefined
  name: string
  readonly args: ArgumentText
  /** Deltas that came before the name, to be shown once it is there. */
  unshown: string[]
  readonly place: number
}

/**
 * Puts streamed calls together. A delta belongs to the call with its `id`, else to that with its
 * `index`, else to the last one opened; a new id, or a name after complete arguments, opens a call. No
 * call gets an input before `finish`, and then only if its arguments are a complete, strict JSON object.
 */
export function createToolCallAssembler(tools: readonly ToolDefinition[]): ToolCallAssembler {
  const calls: OpenCall[] = []
  const toolCallIds = new Set<string | undefined>()
  const keyed = createCallIndex()
  /** The server gives numbers over the whole answer; others give all calls one, or each its place in a chunk. */
  let counts = false
  let isTwice = false
  let isReopened = false

  /** Without keys it belongs to the last one opened. */
  function lastWithout(index: number | undefined): OpenCall | undefined {
    const last = calls[calls.length - 1]
    return index === undefined || last?.index === undefined ? last : undefined
  }

  function open(delta: CallDelta): OpenCall {
    const call = newCall(delta, calls.length, toolCallIds.has(delta.id))
    calls.push(call)
    toolCallIds.add(call.toolCallId)
    return call
  }

  /** The call that the delta opens has a number that was given: the answer has begun anew. */
  function isRepeated({ index, place }: CallDelta): boolean {
    if (index === undefined) return false
    const before = keyed.find({ index })
    if (before) isTwice ||= isReopened || before.args.isComplete()
    else counts ||= index !== place && calls.length > 0
    return counts && isTwice
  }

  return {
    push(delta) {
      const known = keyed.find(delta) ?? lastWithout(delta.index)
      const isKnown = known !== undefined && !opensAnother(known, delta)
      if ((known && beginsAnew(known, delta)) || (!isKnown && isRepeated(delta)))
        return secondAnswer()
      const call = isKnown ? known : open(delta)
      call.index ??= delta.index
      if (call.providerId === undefined && delta.id !== undefined) {
        call.providerId = delta.id
        call.isRenamed = true
      }
      keyed.keep(call)
      const parts = applyDelta(call, delta)
      // Reports that a call was opened: it is counted, though it can't be shown without a name.
      if (!isKnown && call.name === '')
        parts.push({ type: 'tool-input-delta', toolCallId: call.toolCallId, delta: '' })
      // What shows nothing is counted, too.
      return parts.length > 0 ? parts : [{ type: 'raw', data: delta }]
    },
    finish(end) {
      const named = calls.filter((call) => call.name !== '' || !call.args.isEmpty())
      const hasStray = named.some((call) => call.name === '')
      return named.flatMap((call, at) => {
        const isDone = keyed.find({ index: call.index }) === call
        return settle(call, { end, isLast: at === named.length - 1, isDone, hasStray, tools })
      })
    },
    reopen() {
      counts = true
      isReopened = true
    },
    count: () => calls.length,
    has: (id) => keyed.find({ id }) !== undefined,
  }
}

function newCall({ id, index }: CallDelta, place: number, isTaken: boolean): OpenCall {
  return {
    toolCallId: id === undefined || isTaken ? newCallId() : id,
    providerId: id,
    isRenamed: isTaken,
    index,
    name: '',
    args: createArgumentText(),
    unshown: [],
    place,
  }
}

interface CallIndex {
  keep(call: OpenCall): void
  find(delta: CallDelta): OpenCall | undefined
}

/** The last call opened under an id, an index, or both. */
function createCallIndex(): CallIndex {
  const calls = new Map<unknown, OpenCall>()
  return {
    keep(call) {
      for (const key of keysOf(call.providerId, call.index)) {
        const other = calls.get(key)
        if (!other || other.place <= call.place) calls.set(key, call)
      }
    },
    find({ id, index }) {
      const key = keysOf(id, index).find((one) => calls.has(one))
      return calls.get(key)
    },
  }
}

/** What a call is kept under, the surest first. */
function keysOf(id: string | undefined, index: number | undefined): unknown[] {
  return [
    ...(id !== undefined && index !== undefined ? [`${index} ${id}`] : []),
    ...(id === undefined ? [] : [`id ${id}`]),
    ...(index === undefined ? [] : [index]),
  ]
}

/**
 * The same call once more, in pieces after it was complete, or under another name before it was: the answer
 * begins anew. (Whole arguments under one id may be a repetition or another call; both are told apart.)
 */
function beginsAnew(call: OpenCall, { id, index, name, args }: CallDelta): boolean {
  if (id === undefined || id !== call.providerId || name === undefined) return false
  if (index !== undefined && call.index !== undefined && index !== call.index) return false
  if (name !== call.name) return call.name !== '' && !call.args.isComplete()
  if (args === undefined || args.trim() === '' || !call.args.isComplete()) return false
  return !call.args.isPlaceholder() && !isWhole(args)
}

function isWhole(args: string): boolean {
  const text = createArgumentText()
  text.push(args)
  return text.isComplete()
}

/** Whether the delta, though it is keyed like this call, begins the next one. */
function opensAnother(call: OpenCall, { id, index, name, args }: CallDelta): boolean {
  const hasNewId = id !== undefined && call.providerId !== undefined && id !== call.providerId
  // Some servers make up an id for each delta; without a name it is no new call while one is unfinished.
  if (hasNewId) return name !== undefined || call.name === '' || call.args.isComplete()
  if (name === undefined || call.name === '') return false
  if (name !== call.name) return true
  const hasNewIndex = index !== undefined && call.index !== undefined && index !== call.index
  if (id !== undefined && hasNewIndex) return true
  if (!call.args.isComplete() || args === undefined || args.trim() === '') return false
  // The same name again after complete arguments. Under the same id or index it may be a placeholder
  // made good or a repetition; without either it can only be the next call.
  if (id === undefined && index === undefined) return true
  return !call.args.isPlaceholder() && !call.args.repeats(args)
}

function applyDelta(call: OpenCall, { name, args }: CallDelta): StreamPart[] {
  const parts: StreamPart[] = []
  const { toolCallId } = call
  if (call.name === '' && name !== undefined) {
    call.name = name
    parts.push({ type: 'tool-input-start', toolCallId, toolName: name })
    for (const delta of call.unshown) parts.push({ type: 'tool-input-delta', toolCallId, delta })
    call.unshown = []
  }
  const delta = args === undefined ? '' : call.args.push(args)
  if (delta === '') return parts
  if (call.name === '') call.unshown.push(delta)
  else parts.push({ type: 'tool-input-delta', toolCallId, delta })
  return parts
}

function settle(call: OpenCall, settlement: Settlement): StreamPart[] {
  const { toolCallId, name: toolName, providerId, isRenamed, args } = call
  const ref = { toolCallId, toolName }
  const isOther = isRenamed && providerId !== undefined
  return callParts(isOther ? { ...ref, providerCallId: providerId } : ref, args, settlement)
}
