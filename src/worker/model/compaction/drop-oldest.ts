import { isRequest } from '../../../conversation/requests.ts'
import type { ConversationState, MessageNode } from '../../../protocol/state.ts'
import { sentTokens, tokensWith, type Compacting, type Room } from './planned.ts'

/** Share of the room that may stay full. The free rest lasts for several steps. */
const FILLED = 0.5

/**
 * Drops the oldest messages before the newest request, or else the oldest steps after it. The request itself stays.
 * The kept part begins with a request or a step, so that every result keeps its call. Null: too little would be freed.
 */
export function dropOldest(state: ConversationState, room: Room): Compacting | null {
  const { path } = state
  const { request, newestStep } = landmarks(path)
  const ranges = [
    { from: 0, before: request },
    { from: request + 1, before: newestStep },
  ]
  for (const range of ranges) {
    const fact = dropWithin(state, room, range)
    if (fact) return fact
  }
  return null
}

/** Indexes in the path of the newest request and of the model's newest message. -1: none. */
export function landmarks(path: readonly MessageNode[]): {
  readonly request: number
  readonly newestStep: number
} {
  return {
    request: path.findLastIndex(isRequest),
    newestStep: path.findLastIndex(({ message }) => message.role === 'assistant'),
  }
}

/** Whether the kept messages may begin with this one. */
export function isStart(node: MessageNode | undefined): boolean {
  return node !== undefined && (isRequest(node) || node.message.role === 'assistant')
}

/** A range of the path. `before` is the index of the first message that is kept. */
export interface Span {
  readonly from: number
  readonly before: number
}

/** Returns null if the span is empty. */
export function leavingOut(
  { path }: ConversationState,
  { from, before }: Span,
  summary: string,
): Compacting | null {
  const [first, last] = [path[from], path[before - 1]]
  if (!first || !last || before <= from) return null
  return {
    type: 'compacted',
    after: path.at(-1)?.id ?? null,
    from: first.id,
    to: last.id,
    keptFrom: path[before]?.id ?? null,
    summary,
  }
}

function dropWithin(
  state: ConversationState,
  room: Room,
  { from, before }: Span,
): Compacting | null {
  const { path } = state
  const ends: number[] = []
  for (let at = from + 1; at <= before; at++) if (isStart(path[at])) ends.push(at)
  const facts = ends.flatMap((end) => leavingOut(state, { from, before: end }, '') ?? [])
  // Binary search for the smallest range that frees enough, or else the largest one.
  let [low, high] = [0, facts.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    const fact = facts[middle]
    if (fact && tokensWith(state, room.fixed, [fact]) <= room.total * FILLED) high = middle
    else low = middle + 1
  }
  const fact = facts[low]
  if (fact === undefined) return null
  const freed = sentTokens(state, room.fixed) - tokensWith(state, room.fixed, [fact])
  return freed >= room.worth ? fact : null
}
