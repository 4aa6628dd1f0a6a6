import { endOf } from '../../conversation/pending.ts'
import { nestedIn } from '../../conversation/nested.ts'
import { positionOf, type Remembered, type RememberedCall } from '../../protocol/composite.ts'
import type { CallState } from '../../protocol/state.ts'

/** The stored calls and steps of a composite tool's function, for when it runs again. */
export function rememberedOf(call: CallState, calls: readonly CallState[]): Remembered {
  return {
    calls: nestedIn(calls, call).map((nested) => remember(call, nested)),
    steps: Object.entries(call.outcomes).map(([key, value]) => ({ key, value })),
    ended: call.ended,
  }
}

function remember(parent: CallState, nested: CallState): RememberedCall {
  const { toolCallId, toolName, modelInput: input } = nested
  const position = nestedPosition(parent, nested)
  const end = endOf(nested)
  return { toolCallId, position, toolName, input, ...(end && { end }) }
}

/** A nested call's position among its function's requests, read from the call's id. */
export function nestedPosition(parent: CallState, { toolCallId }: CallState): number {
  return positionOf(toolCallId.slice(parent.toolCallId.length + 1))
}

/** Makes a nested call's id from its position. `isUsed`: a model may have chosen the same id for its own call. */
export function nestedId(
  parent: CallState,
  position: number,
  isUsed: (id: string) => boolean,
): string {
  const plain = `${parent.toolCallId}/${position}`
  let id = plain
  for (let other = 2; isUsed(id); other++) id = `${plain}.${other}`
  return id
}
