import { contextOn } from '../../../conversation/context.ts'
import { isRequest } from '../../../conversation/requests.ts'
import type { CompactionPolicy } from '../../../protocol/compaction.ts'
import type { CallPath } from '../../../protocol/fact.ts'
import type { Message, ToolMessage } from '../../../protocol/message.ts'
import type { ConversationState, MessageNode } from '../../../protocol/state.ts'
import type { FactDraft } from '../../store/fact-draft.ts'
import { applyContext, CLEARED, isClearable } from './apply-context.ts'
import { messageTokens } from './request-size.ts'

/** In tokens. */
export interface Room {
  /** For all that is sent. */
  readonly total: number
  /** Of what is sent beside messages. */
  readonly fixed: number
  /** What a change must free at least: it breaks the server's cache of the prompt. */
  readonly worth: number
}

export type PlannedCompaction = Extract<
  FactDraft,
  { readonly type: 'results-cleared' | 'compacted' }
>

/** The newest results are what the model works with. */
const RESULTS_KEPT = 2
/** The part of the room that is left full when messages are dropped, so that it lasts. */
const FILLED = 0.5
/** And when results are cleared, where messages could be dropped instead. */
const FILLED_BY_RESULTS = 0.7

/** Of the next request: its messages, as the context rows have them sent, and the rest. */
export function sentTokens(state: ConversationState, fixed: number): number {
  return fixed + sum(applyContext(state.path, contextOn(state)))
}

/** The fact that makes room, if one is worth it; null: nothing (more) can be left out. Pure. */
export function planCompaction(
  state: ConversationState,
  room: Room,
  policy: CompactionPolicy,
): PlannedCompaction | null {
  const sent = applyContext(state.path, contextOn(state))
  const clears = policy === 'auto' || policy === 'clear-results'
  const cleared = clears ? clearResults(state, sent) : null
  if (cleared && cleared.freed >= room.worth) {
    const left = room.fixed + sum(sent) - cleared.freed
    // Else messages would have to be dropped soon, which breaks the cache once more.
    if (policy === 'clear-results' || left <= room.total * FILLED_BY_RESULTS)
      return { type: 'results-cleared', after: headOf(state), paths: cleared.paths }
  }
  return policy === 'clear-results' ? null : dropOldest(state, room)
}

/** The results of all but the newest tool messages, and what their notes save. */
function clearResults(
  { path }: ConversationState,
  sent: readonly Message[],
): { readonly paths: readonly CallPath[]; readonly freed: number } | null {
  const note = messageTokens(noteMessage)
  const asSent = new Set(sent)
  const toolMessages = path.flatMap(({ message }) => (message.role === 'tool' ? [message] : []))
  let freed = 0
  const paths: CallPath[] = []
  // One that isn't sent as it is stored was dropped or cleared already.
  for (const message of toolMessages.slice(0, -RESULTS_KEPT)) {
    if (!asSent.has(message)) continue
    for (const part of message.parts) {
      if (!isClearable(part.output)) continue
      const saved = messageTokens({ role: 'tool', parts: [part] }) - note
      if (saved <= 0) continue
      freed += saved
      paths.push([part.toolCallId])
    }
  }
  return paths.length > 0 ? { paths, freed } : null
}

const noteMessage: ToolMessage = {
  role: 'tool',
  parts: [
    {
      type: 'tool-result',
      toolCallId: '',
      toolName: '',
      output: { type: 'text', value: CLEARED },
    },
  ],
}

/**
 * The oldest messages go first, never the newest request: those before it, else the steps after it. What
 * is kept begins with a request or a step, so that no call is parted from its results.
 */
function dropOldest(state: ConversationState, room: Room): PlannedCompaction | null {
  const { path } = state
  const request = path.findLastIndex(isRequest)
  const newestStep = path.findLastIndex(({ message }) => message.role === 'assistant')
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

function dropWithin(
  state: ConversationState,
  room: Room,
  { from, before }: { readonly from: number; readonly before: number },
): PlannedCompaction | null {
  const { path } = state
  const now = sentTokens(state, room.fixed)
  const first = path[from]
  const ends: number[] = []
  for (let at = from + 1; at <= before; at++) if (isStart(path[at])) ends.push(at)
  if (!first || ends.length === 0) return null
  const dropping = (at: number): Extract<PlannedCompaction, { readonly type: 'compacted' }> => ({
    type: 'compacted',
    after: headOf(state),
    from: first.id,
    to: path[at - 1]?.id ?? first.id,
    keptFrom: path[at]?.id ?? null,
    summary: '',
  })
  const leftBy = (at: number): number => {
    const row = { ...dropping(at), seq: 0, at: 0 }
    return room.fixed + sum(applyContext(path, [...contextOn(state), row]))
  }
  // The least that leaves room for a while; else all that may go.
  let [low, high] = [0, ends.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (leftBy(ends[middle] ?? before) <= room.total * FILLED) high = middle
    else low = middle + 1
  }
  const end = ends[low] ?? before
  return now - leftBy(end) >= room.worth ? dropping(end) : null
}

function isStart(node: MessageNode | undefined): boolean {
  return node !== undefined && (isRequest(node) || node.message.role === 'assistant')
}

function headOf({ path }: ConversationState): string | null {
  return path.at(-1)?.id ?? null
}

function sum(messages: readonly Message[]): number {
  return messages.reduce((tokens, message) => tokens + messageTokens(message), 0)
}
