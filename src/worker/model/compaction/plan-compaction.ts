import type { CompactionPolicy } from '../../../protocol/compaction.ts'
import type { ConversationState } from '../../../protocol/state.ts'
import { oldResults, staleResults, type Clearing } from './clear-results.ts'
import { dropOldest } from './drop-oldest.ts'
import { sentTokens, type PlannedCompaction, type Room } from './planned.ts'

/** The part of the room that may be left full when results are cleared, where messages could be dropped instead. */
const FILLED_BY_RESULTS = 0.7
/** Of the room: so much that is out of date is cleared before there is need. */
const STALE_PART = 0.25

export interface Policy {
  readonly policy: CompactionPolicy
  /** Names of the tools whose results make older ones out of date. */
  readonly superseding: ReadonlySet<string>
}

/** What makes room where it is needed, if something is worth it; null: nothing (more) can be left out. Pure. */
export function planCompaction(
  state: ConversationState,
  room: Room,
  { policy, superseding }: Policy,
): PlannedCompaction | null {
  const sent = sentTokens(state, room.fixed)
  // Else messages would have to be dropped soon, which breaks the cache once more.
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

/** Clears what is out of date once it is much, so that it is done rarely: each time breaks the cache. Pure. */
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
