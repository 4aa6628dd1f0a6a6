import type { StreamPart } from '../../protocol/message.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import {
  createArgumentText,
  type ArgumentText,
  callParts,
  type OutputEnd,
  type Settlement,
} from './argument-text.ts'
import { newCallId } from './call-defaults.ts'
import { secondAnswerError } from './provider-error.ts'

/** A chunk's piece of a call. Any field may be missing. `args` may be all arguments at once. */
export interface CallDelta {
  readonly id?: string | undefined
  readonly index?: number | undefined
  /** Position among the calls of the same chunk. */
  readonly position?: number
  readonly name?: string | undefined
  readonly args?: string | undefined
}

export interface ToolCallAssembler {
  push(delta: CallDelta): StreamPart[]
  /**
   * Reports that the message was opened again or is over. From then on, a call under a used number belongs to another
   * answer.
   */
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
  /** `toolCallId` differs from the provider's id. */
  isRenamed: boolean
  index: number | undefined
  name: string
  readonly args: ArgumentText
  /** Deltas that came before the name, held back until it arrives. */
  unshown: string[]
  readonly position: number
}

/**
 * Puts streamed calls together. A delta belongs to the call with its `id`, else with its `index`, else to the last
 * one opened. A new id, or a name after complete arguments, opens a call. Calls get an input only in `finish`, and
 * only if their arguments are a complete, strict JSON object.
 */
export function createToolCallAssembler(tools: readonly ToolDefinition[]): ToolCallAssembler {
  const calls: OpenCall[] = []
  const toolCallIds = new Set<string | undefined>()
  const callIndex = createCallIndex()
  /**
   * The server numbers the calls of the whole answer. Other servers give every call the same number, or its position in
   * the chunk.
   */
  let isNumbered = false
  let isIndexReused = false
  let isReopened = false

  /** Returns the last opened call, unless both it and the delta have an index. */
  function lastUnindexed(index: number | undefined): OpenCall | undefined {
    const last = calls[calls.length - 1]
    return index === undefined || last?.index === undefined ? last : undefined
  }

  function openCall(delta: CallDelta): OpenCall {
    const call = newCall(delta, calls.length, toolCallIds.has(delta.id))
    calls.push(call)
    toolCallIds.add(call.toolCallId)
    return call
  }

  /** Whether the new call's number is already used. If so, the answer has begun again. */
  function isRepeated({ index, position }: CallDelta): boolean {
    if (index === undefined) return false
    const existing = callIndex.find({ index })
    if (existing) isIndexReused ||= isReopened || existing.args.isComplete()
    else isNumbered ||= index !== position && calls.length > 0
    return isNumbered && isIndexReused
  }

  return {
    push(delta) {
      const existing = callIndex.find(delta) ?? lastUnindexed(delta.index)
      const isKnown = existing !== undefined && !opensAnother(existing, delta)
      if ((existing && beginsAnew(existing, delta)) || (!isKnown && isRepeated(delta)))
        return secondAnswerError()
      const call = isKnown ? existing : openCall(delta)
      call.index ??= delta.index
      if (call.providerId === undefined && delta.id !== undefined) {
        call.providerId = delta.id
        call.isRenamed = true
      }
      callIndex.add(call)
      const parts = applyDelta(call, delta)
      // Reports an opened call that has no name yet. It can't be shown, but counts towards the answer's limit of calls.
      if (!isKnown && call.name === '')
        parts.push({ type: 'tool-input-delta', toolCallId: call.toolCallId, delta: '' })
      // Even a delta that shows nothing counts as received, as a `raw` part.
      return parts.length > 0 ? parts : [{ type: 'raw', data: delta }]
    },
    finish(end) {
      const named = calls.filter((call) => !isEmptyCall(call, calls))
      const hasStray = named.some((call) => call.name === '')
      return named.flatMap((call, at) => {
        const isDone = callIndex.find({ index: call.index }) === call
        return finishCall(call, { end, isLast: at === named.length - 1, isDone, hasStray, tools })
      })
    },
    reopen() {
      isNumbered = true
      isReopened = true
    },
    count: () => calls.length,
    has: (id) => callIndex.find({ id }) !== undefined,
  }
}

/**
 * Whether a call has neither a name nor arguments. After a call without arguments, LiteLLM sends `{}` at another index.
 */
function isEmptyCall({ name, args }: OpenCall, { length }: readonly OpenCall[]): boolean {
  return name === '' && (args.isEmpty() || (length > 1 && args.isPlaceholder()))
}

function newCall({ id, index }: CallDelta, position: number, isIdTaken: boolean): OpenCall {
  return {
    toolCallId: id === undefined || isIdTaken ? newCallId() : id,
    providerId: id,
    isRenamed: isIdTaken,
    index,
    name: '',
    args: createArgumentText(),
    unshown: [],
    position,
  }
}

interface CallIndex {
  add(call: OpenCall): void
  find(delta: CallDelta): OpenCall | undefined
}

/** Finds the last call opened under an id, an index, or both. */
function createCallIndex(): CallIndex {
  const calls = new Map<unknown, OpenCall>()
  return {
    add(call) {
      for (const key of keysOf(call.providerId, call.index)) {
        const other = calls.get(key)
        if (!other || other.position <= call.position) calls.set(key, call)
      }
    },
    find({ id, index }) {
      const key = keysOf(id, index).find((candidate) => calls.has(candidate))
      return calls.get(key)
    },
  }
}

/** Keys of a call, the most specific first. */
function keysOf(id: string | undefined, index: number | undefined): unknown[] {
  return [
    ...(id !== undefined && index !== undefined ? [`${index} ${id}`] : []),
    ...(id === undefined ? [] : [`id ${id}`]),
    ...(index === undefined ? [] : [index]),
  ]
}

/**
 * Whether a known call comes again because the answer has begun again. If the call was complete, it comes again in
 * pieces; otherwise it comes again under another name. `opensAnother` handles whole arguments, which may repeat a call
 * or begin another one.
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

/** Whether the delta begins another call, although its id or index matches this call. */
function opensAnother(call: OpenCall, { id, index, name, args }: CallDelta): boolean {
  const hasNewId = id !== undefined && call.providerId !== undefined && id !== call.providerId
  // Some servers invent an id for each delta. A delta without a name therefore continues an unfinished call.
  if (hasNewId) return name !== undefined || call.name === '' || call.args.isComplete()
  if (name === undefined || call.name === '') return false
  if (name !== call.name) return true
  const hasNewIndex = index !== undefined && call.index !== undefined && index !== call.index
  if (id !== undefined && hasNewIndex) return true
  if (!call.args.isComplete() || args === undefined || args.trim() === '') return false
  // The name is the same, and the arguments are complete. A delta under the same id or index may replace a placeholder
  // or repeat the call. A delta with neither must be the next call.
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

function finishCall(call: OpenCall, settlement: Settlement): StreamPart[] {
  const { toolCallId, name: toolName, providerId, isRenamed, args } = call
  const ref = { toolCallId, toolName }
  const hasProviderId = isRenamed && providerId !== undefined
  return callParts(hasProviderId ? { ...ref, providerCallId: providerId } : ref, args, settlement)
}
