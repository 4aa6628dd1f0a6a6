import type { ErrorData } from '../../protocol/error.ts'
import type { StreamPart, ToolCallStreamPart } from '../../protocol/message.ts'
import { newCallId, unfinishedCallError } from './call-defaults.ts'
import { incompleteError } from './provider-error.ts'

type Ending = Extract<StreamPart, { type: 'finish' | 'error' }>

/**
 * Enforces the order that `StreamPart` promises. Calls come last, each with a unique id, and run only after
 * a proven end. One `finish` or `error` closes the stream; later parts are ignored.
 */
export interface PartGate {
  /** Moves parts into the batch and merges adjacent deltas. */
  pass(parts: readonly StreamPart[], batch: StreamPart[]): void
  /** The ending that the provider has emitted; undefined before. */
  ending(): 'finish' | 'error' | undefined
  /** Emits the calls and the ending. A failure after a proven end is ignored, unless it is `final`. */
  close(batch: StreamPart[], failure?: { readonly error: ErrorData; readonly final: boolean }): void
}

export function createPartGate(): PartGate {
  const calls = new Map<string, ToolCallStreamPart>()
  let ending: Ending | undefined

  function pass(parts: readonly StreamPart[], batch: StreamPart[]): void {
    for (const part of parts) {
      if (ending?.type === 'finish') return
      if (part.type === 'tool-call') addCall(calls, part)
      else if (part.type === 'finish' || part.type === 'error') ending ??= part
      else if (!mergeDelta(batch, part)) batch.push(part)
    }
  }

  return {
    pass,
    ending: () => ending?.type,
    close(batch, failure) {
      const overruled = failure !== undefined && (failure.final || ending?.type !== 'finish')
      if (ending?.type === 'finish' && !overruled) {
        for (const call of calls.values()) batch.push(call)
        batch.push(ending)
        return
      }
      const error = ending?.type === 'error' ? ending.error : (failure?.error ?? incompleteError())
      for (const call of calls.values()) batch.push(withoutInput(call))
      batch.push({ type: 'error', error })
    },
  }
}

/**
 * Whether a batch has content of the answer. Empty deltas and white space are no content: a server can send them
 * forever.
 */
export function hasContent(batch: readonly StreamPart[]): boolean {
  return batch.some((part) =>
    'delta' in part ? part.delta.trim() !== '' : !/^(raw|usage)$/.test(part.type),
  )
}

/** Adds a call. An identical repeat is ignored; a different call with the same id gets a new id. */
function addCall(calls: Map<string, ToolCallStreamPart>, call: ToolCallStreamPart): void {
  const { toolCallId } = call
  const first = calls.get(toolCallId)
  if (!first) calls.set(toolCallId, call)
  else if (JSON.stringify(first) !== JSON.stringify(call))
    addCall(calls, { ...call, toolCallId: newCallId(), providerCallId: toolCallId })
}

function mergeDelta(batch: StreamPart[], part: StreamPart): boolean {
  const last = batch[batch.length - 1]
  if (last === undefined) return false
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
    if (last.type !== part.type) return false
    batch[batch.length - 1] = { type: part.type, delta: last.delta + part.delta }
    return true
  }
  if (part.type === 'tool-input-delta' && last.type === 'tool-input-delta') {
    if (last.toolCallId !== part.toolCallId) return false
    batch[batch.length - 1] = { ...part, delta: last.delta + part.delta }
    return true
  }
  return false
}

/** The call after a failed stream: it may be shown but never runs. */
export function withoutInput(call: ToolCallStreamPart): ToolCallStreamPart {
  if (call.error) return call
  const { input, ...rest } = call
  return { ...rest, ...unfinishedCallError(), rawInput: JSON.stringify(input) }
}
