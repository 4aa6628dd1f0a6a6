import { isText, nullOr, shape } from '../../lib/shape.ts'
import { requestLock, type Locks } from '../../worker/ownership/locks.ts'
import {
  createTabChannel,
  openTabPort,
  type TabChannel,
} from '../../worker/ownership/tab-channel.ts'
import type { PageVisibility } from '../../worker/page-visibility.ts'
import type { Changes } from '../../worker/store/changes.ts'
import type { StoreChange } from '../../worker/store/store.ts'
import { HEARTBEAT_MS } from '../wire.ts'
import { followLine, isChange, pause } from './follow-line.ts'
import type { Line } from './line.ts'

export interface Following {
  readonly line: Line
  /** Identifies the store: the server's address and the page's `storage` option. */
  readonly name: string
  readonly visibility: PageVisibility
  /** Changes from the server and from this tab. The leading tab relays them to the others. */
  readonly changes: Changes
  readonly signal: AbortSignal
}

/** Messages between tabs with the same store and the same user. */
interface StreamMessages {
  /** Asks the leader for its newest event. */
  ask: null
  said: {
    /** Null if nothing has changed. */
    readonly change: StoreChange | null
    /** Empty before the first event. */
    readonly id: string
    readonly isHidden: boolean
  }
}

const SHAPES = { ask: () => true, said: shape({ change: nullOr(isChange), id: isText }) }

/** Unanswered `ask` messages, one per heartbeat, after which another tab replaces the leader. */
const MOST_UNANSWERED = 2

/**
 * Follows the store's changes until the signal aborts. On HTTP/1.1 a browser opens at most six connections to a server,
 * shared by all tabs. Therefore one tab leads: it holds the stream and relays the changes to the others.
 */
export async function followChanges({ line, name, signal, ...more }: Following): Promise<void> {
  for (let tries = 0; !signal.aborted; tries++) {
    const user = await line.user().catch(() => null)
    if (user === null) await pause(tries, signal)
    else {
      const over = AbortSignal.any([signal, user.another.signal])
      await followTogether({ ...more, line, name: `changes:${name} ${user.storeId}`, signal: over })
      tries = 0
    }
  }
}

/** Follows with the other tabs until the signal aborts. Another user's login aborts it, too. */
async function followTogether(following: Following): Promise<void> {
  const { line, name, visibility, changes, signal } = following
  const channel = openChannel(name)
  const locks = channel.isOpen ? globalThis.navigator?.locks : undefined
  /** Aborting this takes the lead from another tab. Without Web Locks it also ends this tab's own lead. */
  let turn = new AbortController()
  let isLeading = false
  let lastEventId = ''
  let unanswered = 0
  const say = (change: StoreChange | null): void => {
    const isHidden = !visibility.isVisible
    if (isLeading) channel.post('said', { change, id: lastEventId, isHidden })
  }
  const look = (): void => {
    if (isLeading) say(null)
    else if (++unanswered > MOST_UNANSWERED) turn.abort()
    else channel.post('ask', null)
  }
  channel.on('ask', () => say(null))
  channel.on('said', ({ change, id, isHidden }) => {
    if (isLeading) return
    unanswered = 0
    if (isHidden && visibility.isVisible) turn.abort()
    // Changes from before this tab listened may have been missed.
    if (lastEventId === '' && id !== '') changes.report({ conversationId: null, lastSeq: 0 })
    lastEventId = id
    if (!change) return
    line.noteReached()
    changes.report(change)
  })
  const stopRelaying = changes.follow(say)
  const lead = async (stop: AbortSignal): Promise<void> => {
    isLeading = true
    say(null)
    await followLine(line, {
      lastEventId: () => lastEventId,
      onEvent: ({ change, id }) => {
        // Another user may have logged in between two connections.
        if (id !== null) line.noteUser(id.slice(0, id.lastIndexOf('.')))
        if (signal.aborted) return
        lastEventId = id ?? lastEventId
        if (change) changes.report(change)
      },
      signal: AbortSignal.any([signal, stop]),
    })
    isLeading = false
  }
  visibility.addEventListener('change', look, { signal })
  if (!locks) visibility.addEventListener('change', () => turn.abort(), { signal })
  const beat = setInterval(look, HEARTBEAT_MS)
  while (!signal.aborted) {
    turn = new AbortController()
    unanswered = 0
    look()
    const over = AbortSignal.any([signal, turn.signal])
    if (locks) await leadUnderLock(lead, { locks, name, over, taking: turn.signal })
    // If there are no locks, a hidden tab only listens. Without a channel it can't listen, so it leads itself.
    else if (visibility.isVisible || !channel.isOpen) await lead(over)
    else await pause(MOST_UNANSWERED, over)
  }
  clearInterval(beat)
  stopRelaying()
  channel.close()
}

function openChannel(scope: string): TabChannel<StreamMessages> {
  return createTabChannel<StreamMessages>({
    scope,
    tabId: '',
    openPort: openTabPort,
    shapes: SHAPES,
  })
}

interface LockTurn {
  readonly locks: Locks
  readonly name: string
  readonly over: AbortSignal
  /** When aborted, this tab steals the lock from its holder. */
  readonly taking: AbortSignal
}

async function leadUnderLock(
  lead: (lost: AbortSignal) => Promise<void>,
  { locks, name, over, taking }: LockTurn,
): Promise<void> {
  const lockName = `offstage:${name}`
  const granted = await requestLock(locks, lockName, { signal: over })
  const lock =
    granted ?? (taking.aborted ? await requestLock(locks, lockName, { steal: true }) : null)
  // Browsers abort lock requests of a page in the back/forward cache.
  if (lock === null) return pause(0, over)
  const lost = new AbortController()
  lock.onLost = () => lost.abort()
  if (!lock.isLost) await lead(lost.signal)
  lock.release()
}
