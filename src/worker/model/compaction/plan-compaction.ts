import type { CompactionPolicy } from '../../../protocol/compaction.ts'
import type { ConversationState } from '../../../protocol/state.ts'
import { oldResults, staleResults, type Clearing } from './clear-results.ts'
import { dropOldest } from './drop-oldest.ts'
import { sentTokens, type PlannedCompaction, type Room } from './planned.ts'

/** Share of the room that may stay full after clearing results. Above it, messages are dropped instead. */
const FILLED_BY_RESULTS = 0.7
/** Share of the room above which stale results are cleared, even if the request still fits. */
const STALE_PART = 0.25

export interface Policy {
  readonly policy: CompactionPolicy
  /** Names of the tools whose results make older ones out of date. */
  readonly superseding: ReadonlySet<string>
}

/** Plans how to make room for a request that doesn't fit. Null: nothing (more) is worth leaving out. Pure. */
export function planCompaction(
  state: ConversationState,
  room: Room,
  { policy, superseding }: Policy,
): PlannedCompaction | null {
  const sent = sentTokens(state, room.fixed)
  // Otherwise messages would have to be dropped soon, which breaks the prompt cache once more.
  const lasts = ({ freed }: Clearing): boolean => sent - freed <= room.total * FILLED_BY_RESULTS
  const stale = staleResults(state, superseding)
  if (stale.freed >= room.worth && lasts(stale)) return clear(state, stale)
  if (policy === 'auto' || policy === 'clear-results') {
    const old = oldResults(state, superseding)
    if (old.freed >= room.worth && (policy === 'clear-results' || lasts(old)))
      return clear(state, old)
  }
  return policy === 'clear-results' ? null : dropOldest(state, room)
}

/** Clears stale results, but only many at once: each clearing breaks the prompt cache. Pure. */
export function planStale(
  state: ConversationState,
  total: number,
  superseding: ReadonlySet<string>,
): PlannedCompaction | null {
  const stale = staleResults(state, superseding)
  return stale.freed >= total * STALE_PART ? clear(state, stale) : null
}

export function clear({ path }: ConversationState, { paths }: Clearing): PlannedCompaction {
  return { type: 'results-cleared', after: path.at(-1)?.id ?? null, paths }
}
