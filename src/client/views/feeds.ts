import { resultOf } from '../../conversation/result.ts'
import {
  type CheckpointNotice,
  isRow,
  type StreamItem,
  type StreamRef,
  type WorkerNotice,
} from '../../protocol/notices.ts'
import type { RunRef } from '../../protocol/conversation.ts'
import type { Delta, DeltaOf, Live } from '../../protocol/delta.ts'
import type { Row } from '../../protocol/fact.ts'
import { isUnfinished, type RunOutcome, type RunResult } from '../../protocol/run.ts'
import type { RunHandle } from '../runs/run.ts'
import { emptyState, rooted } from '../../conversation/state.ts'
import { fold } from '../../conversation/fold.ts'
import { foldDelta, NOTHING_LIVE, refusedRun, settleLive } from '../../conversation/live.ts'
import {
  catchUpEvents,
  type Cursor,
  joinCursor,
  type Moment,
  projectDelta,
  projectFact,
  type Projection,
  startCursor,
} from '../../conversation/project.ts'
import type { ErrorData } from '../../protocol/error.ts'
import type { ConversationState, OlderMessages } from '../../protocol/state.ts'
import type { RunEventBody } from '../../protocol/event.ts'

/** Makes the events of one run for one handle, from the conversation's stream. */
class RunFollower {
  readonly runId: string
  /** Null until the run begins in the stream. */
  #cursor: Cursor | null = null
  /** Events that wait until the run has a handle, which publishes them. */
  #events: RunEventBody[] = []
  #handle: RunHandle | null = null
  /** Follower of the run that begins when this run ends. */
  next: RunFollower | null = null

  constructor(runId: string) {
    this.runId = runId
  }

  /** Follows the run from its beginning. */
  start(): this {
    this.#cursor ??= startCursor(this.runId)
    return this
  }

  /** Follows the run from its current state. Without a handle, earlier events are dropped. */
  catchUp(moment: Moment): void {
    const { run } = moment.state
    if (run?.follows?.runId === this.runId) {
      this.next = new RunFollower(run.runId)
      this.next.catchUp(moment)
    }
    this.#cursor = joinCursor(moment, this.runId)
    if (!this.#handle) this.#events = []
    this.#events.push(...catchUpEvents(moment, this.runId))
  }

  get hasBegun(): boolean {
    return this.#cursor !== null
  }

  /** Adds an item's events. `before` and `after`: states of the conversation without and with the item. */
  onItem(item: StreamItem, before: Moment, after: Moment): void {
    if (!('runId' in item) || item.runId !== this.runId) return
    if (this.#cursor === null) {
      if (beginsRun(item)) this.start()
      else this.catchUp(before)
    }
    const moment = { state: after.state, live: before.live }
    const { cursor, events } = this.#project(item, moment)
    this.#cursor = cursor
    this.#events.push(...events)
    if (item.type === 'run-ended' && item.next !== undefined)
      this.next = new RunFollower(item.next).start()
  }

  #project(item: StreamItem, moment: Moment): Projection {
    const cursor = this.#cursor ?? startCursor(this.runId)
    return isRow(item) ? projectFact(cursor, item, moment) : projectDelta(cursor, item, moment)
  }

  /** Publishes the waiting events to the handle, and all later ones. */
  attach(handle: RunHandle): void {
    this.#handle = handle
    this.publish()
  }

  hasHandle(handle: RunHandle): boolean {
    return this.#handle === handle
  }

  publish(): void {
    if (this.#handle && this.#events.length > 0) this.#handle.push(this.#events.splice(0))
  }
}

/** True if the item is the first of its run. */
function beginsRun(item: StreamItem): boolean {
  switch (item.type) {
    case 'run-started':
      return true
    case 'storage-waits':
      return item.message !== undefined
    default:
      return false
  }
}

/** Keeps events for runs whose ids the worker hasn't returned yet. */
interface RunsExpected {
  /** Returns the follower for a run that may be the expected one. */
  expect(feed: Feed, runId: string): RunFollower
}

/** A view of a conversation. */
export interface Watcher {
  changed(): void
  /** Notifies at once if a notification waits for the next frame. */
  flush(): void
  join(): Promise<void>
  leave(): void
  olderMessages(before: string): Promise<OlderMessages | null>
}

/** Keeps a feed complete for the views of its conversation. */
export interface FeedViews {
  readonly isWatched: boolean
  watch(watcher: Watcher): void
  unwatch(watcher: Watcher): void
  /** Requests a checkpoint of the conversation from the worker, which then publishes all changes. */
  requestCheckpoint(): Promise<void>
  changed(): void
  onCheckpoint(): void
  /** Returns the checkpoint's state, with known messages in place of equal ones, and with older messages added. */
  keepKnown(next: ConversationState): ConversationState
  flush(): void
  /** Called when the worker is lost (it died, hangs, or the page ended it): it won't publish anything more. */
  onWorkerLost(): void
}

/** State of one conversation and events of its runs, as one worker publishes them. */
export class Feed {
  readonly conversationId: string
  state: ConversationState
  live: Live = NOTHING_LIVE
  /** Why rows can't be read, or why the conversation could not be joined. */
  fault: ErrorData | null = null
  /**
   * True after a checkpoint: `state` is then the whole conversation. False: `state` has only the rows that this page
   * has received.
   */
  hasWholeState = false
  readonly followers: Set<RunFollower> = new Set()
  /** Set once a view shows the conversation. */
  views: FeedViews | null = null
  readonly #expected: ReadonlySet<RunsExpected>

  constructor(conversationId: string, expected: ReadonlySet<RunsExpected>) {
    this.conversationId = conversationId
    this.state = emptyState(conversationId)
    this.#expected = expected
  }

  get openRunId(): string | null {
    const { run } = this.state
    return this.live.waits?.runId ?? (run?.end === null ? run.runId : null)
  }

  get isInUse(): boolean {
    return this.followers.size > 0 || this.views?.isWatched === true
  }

  /** Removes a follower, and the followers of the runs after it. */
  drop(follower: RunFollower | null): void {
    for (let each = follower; each; each = each.next) this.followers.delete(each)
  }

  addItems(items: readonly StreamItem[]): void {
    const { state, live } = this
    for (const item of items) this.#addItem(item)
    this.#publish()
    if (this.state.isStale) void this.views?.requestCheckpoint()
    if (this.state !== state || this.live !== live) this.views?.changed()
  }

  applyCheckpoint(notice: CheckpointNotice): void {
    const { state, live, fault } = notice
    const isKnown = this.hasWholeState && !this.state.isStale && this.state.era === state.era
    this.state = (isKnown && this.views?.keepKnown(state)) || state
    // Keeps a run that this page itself has refused: the worker doesn't know it.
    const leftRun = live.left ?? refusedRun(this.live)
    this.live = state.run?.runId === leftRun?.runId ? live : { ...live, left: leftRun }
    this.fault = fault
    this.hasWholeState = true
    this.#catchUp(notice)
    this.views?.onCheckpoint()
  }

  #catchUp({ state, live, reason }: CheckpointNotice): void {
    const runId = live.waits?.runId ?? state.run?.runId
    if (runId === undefined) return
    for (const each of this.#expected) each.expect(this, runId)
    const hasEnded = state.run?.runId === runId && state.run.end !== null
    for (const follower of this.#followersOf(runId))
      if (reason === 'resumed' || hasEnded || !follower.hasBegun) follower.catchUp(this)
    // If this run followed another, followers of the other run have missed its end.
    for (const follower of this.#followersOf(state.run?.follows?.runId)) {
      follower.catchUp(this)
      if (follower.next) this.followers.add(follower.next)
    }
    this.#publish()
  }

  #addItem(item: StreamItem): void {
    if (beginsRun(item) && 'runId' in item && item.runId !== null)
      for (const each of this.#expected) each.expect(this, item.runId).start()
    const before: Moment = { state: this.state, live: this.live }
    if (isRow(item)) {
      this.state = fold(this.#baseOf(item), [item])
      this.live = settleLive(this.live, item)
    } else if (!this.#isOfAnotherRun(item)) this.live = foldDelta(this.live, item)
    for (const follower of this.followers) {
      follower.onItem(item, before, this)
      if (follower.next) this.followers.add(follower.next)
    }
  }

  /** True if a run that isn't the open run ends on this page without a fact, though it may have begun. */
  #isOfAnotherRun(delta: Delta): boolean {
    const { run } = this.state
    const isLeft = delta.type === 'run-left' && delta.message === undefined
    return isLeft && run?.end === null && run.runId !== delta.runId
  }

  /** Returns the state to fold a row into. */
  #baseOf(row: Row): ConversationState {
    const { state } = this
    const isNext = row.seq === state.seq + 1
    if (isNext) return rooted(state, row)
    if (state.run && row.runId === state.run.runId) return rooted({ ...state, isStale: true }, row)
    // Rows are missing: another tab wrote them while this page didn't show the conversation, or the conversation was
    // created again.
    const isStale = this.hasWholeState
    this.hasWholeState = false
    const empty = emptyState(this.conversationId)
    return rooted({ ...empty, seq: row.seq - 1, older: row.seq > 1 ? 1 : 0, isStale }, row)
  }

  #followersOf(runId: string | undefined): RunFollower[] {
    return [...this.followers].filter((follower) => follower.runId === runId)
  }

  #publish(): void {
    for (const follower of this.followers) follower.publish()
  }
}

export type FeedNotice = Extract<WorkerNotice, { readonly type: 'stream' | 'checkpoint' }>

export interface FeedsHost {
  onRow(row: Row): void
  /** Called when a run is over and can't be resumed. */
  onOver(runId: string): void
}

/** A run with its conversation and store. */
export type StoredRun = RunRef & StreamRef

/** The feeds of all conversations that one worker publishes. */
export class Feeds {
  readonly #host: FeedsHost
  readonly #feeds = new Map<string, Feed>()
  readonly #expected = new Set<ExpectedRuns>()

  constructor(host: FeedsHost) {
    this.#host = host
  }

  onNotice(notice: FeedNotice): void {
    const feed = this.ensure(notice)
    if (notice.type === 'checkpoint') feed.applyCheckpoint(notice)
    else this.#addItems(feed, notice.items)
    this.prune(notice)
  }

  /** Publishes a delta made by the page itself, not the worker. */
  publish(ref: StreamRef, delta: Delta): void {
    const feed = this.find(ref)
    if (feed) this.#addItems(feed, [delta])
  }

  find(ref: StreamRef): Feed | undefined {
    return this.#feeds.get(keyOf(ref))
  }

  /** True while the page shows a run that somebody drives, here or in another tab. */
  get showsRun(): boolean {
    return [...this.#feeds.values()].some(
      ({ views, live, openRunId }) =>
        views?.isWatched === true && openRunId !== null && live.ownership !== 'none',
    )
  }

  /** Returns the feed, created if needed. The feed stays until `prune` finds it unused. */
  ensure(ref: StreamRef): Feed {
    const key = keyOf(ref)
    const existing = this.#feeds.get(key)
    if (existing) return existing
    const feed = new Feed(ref.conversationId, this.#expected)
    this.#feeds.set(key, feed)
    return feed
  }

  prune(ref: StreamRef): void {
    if (this.find(ref)?.isInUse === false) this.#feeds.delete(keyOf(ref))
  }

  /** Gives a handle the events of a run that is about to begin. */
  follow(run: StoredRun, handle: RunHandle): void {
    const isFollowed = [...(this.find(run)?.followers ?? [])].some((each) => each.hasHandle(handle))
    if (!isFollowed) this.#attach(run, new RunFollower(run.runId).start(), handle)
  }

  /** Call this before a command whose answer names a run: events that arrive before the answer are kept. */
  expect(storage: string): ExpectedRun {
    const expected = new ExpectedRuns()
    this.#expected.add(expected)
    return {
      claim: (ref, handle) => {
        const run = { ...ref, storage }
        const follower = expected.claim(this.ensure(run), run.runId)
        this.#attach(run, follower, handle)
      },
      close: () => {
        this.#expected.delete(expected)
        expected.close()
        for (const [key, feed] of this.#feeds) if (!feed.isInUse) this.#feeds.delete(key)
      },
    }
  }

  /** Returns the result of a run that ends on this page, as far as it was published. */
  resultOf(run: StoredRun, outcome: RunOutcome): RunResult | undefined {
    const feed = this.find(run)
    return feed && resultOf(feed.state, run.runId, { outcome, live: feed.live })
  }

  /**
   * Publishes the end of a run on this page, for current and later views, unless somebody may resume it. `message`: the
   * run's first message, in case it never began.
   */
  leaveRun(run: StreamRef, delta: DeltaOf<'run-left'>): void {
    const feed = this.ensure(run)
    const hasBegun = feed.state.run?.runId === delta.runId
    if (!isUnfinished(delta.outcome))
      this.#addItems(feed, [hasBegun ? { ...delta, message: undefined } : delta])
  }

  flush(): void {
    for (const feed of this.#feeds.values()) feed.views?.flush()
  }

  /** Lets the worker publish the shown conversations again. */
  requestCheckpoints(): void {
    for (const feed of this.#feeds.values()) void feed.views?.requestCheckpoint()
  }

  /** Called when the worker is lost. */
  onWorkerLost(): void {
    for (const expected of this.#expected) expected.close()
    for (const feed of this.#feeds.values()) feed.views?.onWorkerLost()
  }

  #addItems(feed: Feed, items: readonly StreamItem[]): void {
    for (const item of items) if (isRow(item)) this.#host.onRow(item)
    feed.addItems(items)
    for (const item of items) {
      const isOver =
        item.type === 'run-left' ? !isUnfinished(item.outcome) : item.type === 'run-ended'
      if (isOver && 'runId' in item && item.runId !== null) this.#host.onOver(item.runId)
    }
  }

  #attach(run: StoredRun, follower: RunFollower, handle: RunHandle): void {
    const feed = this.ensure(run)
    feed.followers.add(follower)
    follower.attach(handle)
    void handle.run.result.then(() => {
      feed.followers.delete(follower)
      this.#followNext(run, follower, handle)
      this.prune(run)
    })
  }

  /**
   * Attaches the follower of the next run to that run's handle. Drops the follower if the handle doesn't exist or
   * already has one.
   */
  #followNext(run: StoredRun, { next }: RunFollower, handle: RunHandle): void {
    const feed = this.ensure(run)
    const isFollowed = [...feed.followers].some(
      (each) => handle.next && each.hasHandle(handle.next),
    )
    if (next && handle.next && !isFollowed)
      this.#attach({ ...run, runId: next.runId }, next, handle.next)
    else feed.drop(next)
  }
}

/** A run whose id the worker hasn't returned yet. */
export interface ExpectedRun {
  /** Call this once the worker has returned the run's id. The handle gets all events since the run was resumed. */
  claim(ref: RunRef, handle: RunHandle): void
  close(): void
}

class ExpectedRuns implements RunsExpected {
  readonly #followers = new Map<RunFollower, Feed>()

  expect(feed: Feed, runId: string): RunFollower {
    for (const [follower, runFeed] of this.#followers)
      if (runFeed === feed && follower.runId === runId) return follower
    const follower = new RunFollower(runId)
    this.#followers.set(follower, feed)
    feed.followers.add(follower)
    return follower
  }

  claim(feed: Feed, runId: string): RunFollower {
    const follower = this.expect(feed, runId)
    this.#followers.delete(follower)
    return follower
  }

  close(): void {
    for (const [follower, feed] of this.#followers) feed.drop(follower)
    this.#followers.clear()
  }
}

function keyOf({ storage, conversationId }: StreamRef): string {
  return `${storage}\n${conversationId}`
}
