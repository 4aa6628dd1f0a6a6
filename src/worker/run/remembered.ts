import { endOf } from '../../conversation/pending.ts'
import { nestedIn } from '../../conversation/nested.ts'
import { positionOf, type Remembered, type RememberedCall } from '../../protocol/composite.ts'
import type { CallState } from '../../protocol/state.ts'

/** What the function of a composite tool finds when it is run again. */
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

/** Of a nested call among what its function asks for: part of its id. */
export function nestedPosition(parent: CallState, { toolCallId }: CallState): number {
  return positionOf(toolCallId.slice(parent.toolCallId.length + 1))
}

/** `isUsed`: models choose the ids of their own calls. */
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
