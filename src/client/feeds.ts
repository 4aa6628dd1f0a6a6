import { resultOf } from '../conversation/result.ts'
import type { WorkerNotice } from '../protocol/notices.ts'
import type { RunRef } from '../protocol/scope.ts'
import type { Delta, DeltaOf } from '../protocol/delta.ts'
import type { Row } from '../protocol/fact.ts'
import { isLeftOpen, type RunOutcome, type RunResult } from '../protocol/run.ts'
import { isRow, type StreamItem, type StreamRef } from '../protocol/stream.ts'
import { Feed, type RunsExpected } from './feed.ts'
import { RunFollower } from './run-follower.ts'
import type { RunHandle } from './run-handle.ts'

export type FeedNotice = Extract<WorkerNotice, { readonly type: 'stream' | 'checkpoint' }>

export interface FeedsHost {
  onRow(row: Row): void
  /** Called when a run is over and nobody resumes it. */
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

  take(notice: FeedNotice): void {
    const feed = this.open(notice)
    if (notice.type === 'checkpoint') feed.takeCheckpoint(notice)
    else this.#takeItems(feed, notice.items)
    this.prune(notice)
  }

  /** Publishes a delta that the page itself has made, in place of the worker. */
  publish(ref: StreamRef, delta: Delta): void {
    const feed = this.find(ref)
    if (feed) this.#takeItems(feed, [delta])
  }

  find(ref: StreamRef): Feed | undefined {
    return this.#feeds.get(keyOf(ref))
  }

  /** True while the page shows a run that somebody drives, here or in another tab. */
  get showsRun(): boolean {
    return [...this.#feeds.values()].some(
      ({ joined, live, openRunId }) =>
        joined?.isWatched === true && openRunId !== null && live.ownership !== 'none',
    )
  }

  /** Returns the feed, created if needed. It stays until `prune` finds it unused. */
  open(ref: StreamRef): Feed {
    const key = keyOf(ref)
    const known = this.#feeds.get(key)
    if (known) return known
    const feed = new Feed(ref.conversationId, this.#expected)
    this.#feeds.set(key, feed)
    return feed
  }

  prune(ref: StreamRef): void {
    if (this.find(ref)?.isInUse === false) this.#feeds.delete(keyOf(ref))
  }

  /** Gives a handle the events of a run that is about to begin. */
  follow(run: StoredRun, handle: RunHandle): void {
    const isFollowed = [...(this.find(run)?.followers ?? [])].some((each) => each.isOf(handle))
    if (!isFollowed) this.#attach(run, new RunFollower(run.runId).begin(), handle)
  }

  /** Expects a run that the worker is about to be asked for: events that come before the answer are kept. */
  expect(storage: string): ExpectedRun {
    const expected = new ExpectedRuns()
    this.#expected.add(expected)
    return {
      claim: (ref, handle) => {
        const run = { ...ref, storage }
        const follower = expected.claim(this.open(run), run.runId)
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
  left(run: StreamRef, left: DeltaOf<'run-left'>): void {
    const feed = this.open(run)
    const hasBegun = feed.state.run?.runId === left.runId
    if (!isLeftOpen(left.outcome))
      this.#takeItems(feed, [hasBegun ? { ...left, message: undefined } : left])
  }

  flush(): void {
    for (const feed of this.#feeds.values()) feed.joined?.flush()
  }

  /** Has the worker publish the shown conversations again. */
  rejoin(): void {
    for (const feed of this.#feeds.values()) void feed.joined?.join()
  }

  /** The worker is gone. */
  lost(): void {
    for (const expected of this.#expected) expected.close()
    for (const feed of this.#feeds.values()) feed.joined?.lost()
  }

  #takeItems(feed: Feed, items: readonly StreamItem[]): void {
    for (const item of items) if (isRow(item)) this.#host.onRow(item)
    feed.takeItems(items)
    for (const item of items) {
      const isOver =
        item.type === 'run-left' ? !isLeftOpen(item.outcome) : item.type === 'run-ended'
      if (isOver && 'runId' in item && item.runId !== null) this.#host.onOver(item.runId)
    }
  }

  #attach(run: StoredRun, follower: RunFollower, handle: RunHandle): void {
    const feed = this.open(run)
    feed.followers.add(follower)
    follower.attach(handle)
    void handle.run.result.then(() => {
      feed.followers.delete(follower)
      this.#goOn(run, follower, handle)
      this.prune(run)
    })
  }

  /**
   * Attaches the follower of the next run to that run's handle. Drops the follower if there is no handle, or the handle
   * has one.
   */
  #goOn(run: StoredRun, { next }: RunFollower, handle: RunHandle): void {
    const feed = this.open(run)
    const isFollowed = [...feed.followers].some((each) => handle.next && each.isOf(handle.next))
    if (next && handle.next && !isFollowed)
      this.#attach({ ...run, runId: next.runId }, next, handle.next)
    else feed.drop(next)
  }
}

/** A run that the worker was asked for and has not named yet. */
export interface ExpectedRun {
  /** Called once the worker has named the run. The handle gets its events from where it was resumed. */
  claim(ref: RunRef, handle: RunHandle): void
  close(): void
}

class ExpectedRuns implements RunsExpected {
  readonly #followers = new Map<RunFollower, Feed>()

  expect(feed: Feed, runId: string): RunFollower {
    for (const [follower, of] of this.#followers)
      if (of === feed && follower.runId === runId) return follower
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
