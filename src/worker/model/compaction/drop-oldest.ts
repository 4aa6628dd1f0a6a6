import { isRequest } from '../../../conversation/requests.ts'
import type { ConversationState, MessageNode } from '../../../protocol/state.ts'
import { sentTokens, tokensWith, type Compacting, type Room } from './planned.ts'

/** The part of the room that is left full, so that it lasts. */
const FILLED = 0.5

/**
 * The oldest messages go first, never the newest request: those before it, else the steps after it. What
 * is kept begins with a request or a step, so that no call is parted from its results. Null: nothing is worth it.
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

/** Places in the path: of the newest request, and of the model's newest message; -1: there is none. */
export function landmarks(path: readonly MessageNode[]): {
  readonly request: number
  readonly newestStep: number
} {
  return {
    request: path.findLastIndex(isRequest),
    newestStep: path.findLastIndex(({ message }) => message.role === 'assistant'),
  }
}

/** What is kept may begin with it. */
export function isStart(node: MessageNode | undefined): boolean {
  return node !== undefined && (isRequest(node) || node.message.role === 'assistant')
}

/** Messages of the path, by their places: `before` is the first one that is kept. */
export interface Span {
  readonly from: number
  readonly before: number
}

/** Null where the span is empty. */
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
  // The least that leaves room for a while; else all that may go.
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
