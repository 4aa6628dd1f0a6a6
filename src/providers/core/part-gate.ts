import type { ErrorData } from '../../protocol/error.ts'
import type { StreamPart, ToolCallStreamPart } from '../../protocol/stream-part.ts'
import { incompleteError } from './transport-error.ts'

type Ending = Extract<StreamPart, { type: 'finish' | 'error' }>

/**
 * Enforces the order that `StreamPart` promises: calls come last and run only after a
 * proven end; one `finish` or `error` closes the stream.
 */
export interface PartGate {
  /** Moves parts into the batch, adjacent deltas merged. */
  pass(parts: readonly StreamPart[], batch: StreamPart[]): void
  /** The ending that the provider has emitted, if any. */
  ending(): 'finish' | 'error' | undefined
  /** Emits the calls and the ending. A failure after a proven end is ignored, unless `final`. */
  close(batch: StreamPart[], failure?: { readonly error: ErrorData; readonly final: boolean }): void
}

export function createPartGate(): PartGate {
  const calls: ToolCallStreamPart[] = []
  let ending: Ending | undefined

  function pass(parts: readonly StreamPart[], batch: StreamPart[]): void {
    for (const part of parts) {
      if (part.type === 'tool-call') calls.push(part)
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
        batch.push(...calls, ending)
        return
      }
      const error = ending?.type === 'error' ? ending.error : (failure?.error ?? incompleteError())
      batch.push(...calls.map(withoutInput), { type: 'error', error })
    },
  }
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

/** The call as it may be shown after a failed stream: it never runs. */
export function withoutInput(call: ToolCallStreamPart): ToolCallStreamPart {
  if (call.error) return call
  const { input, ...rest } = call
  return {
    ...rest,
    error: {
      code: 'truncated',
      message: 'The stream failed before the end of this call was proven; it was not run.',
    },
    rawInput: JSON.stringify(input),
  }
}
