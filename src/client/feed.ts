import { emptyState } from '../conversation/empty-state.ts'
import { fold } from '../conversation/fold.ts'
import { foldDelta, NOTHING_LIVE, refused, settleLive } from '../conversation/live.ts'
import type { Moment } from '../conversation/project.ts'
import { rooted } from '../conversation/rooted.ts'
import type { Delta } from '../protocol/delta.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { Row } from '../protocol/fact.ts'
import type { Live } from '../protocol/live.ts'
import type { ConversationState, OlderMessages } from '../protocol/state.ts'
import { type CheckpointNotice, isRow, type StreamItem } from '../protocol/stream.ts'
import { beginsRun, type RunFollower } from './run-follower.ts'

/** Keeps the events of runs that a worker is about to name, from the point where each is resumed. */
export interface RunsExpected {
  /** Returns the follower for a run that may be the expected one. */
  expect(feed: Feed, runId: string): RunFollower
}

/** A view of a conversation. */
export interface Watcher {
  changed(): void
  /** Sends a waiting notification at once, before the next frame. */
  flush(): void
  join(): Promise<void>
  leave(): void
  olderMessages(before: string): Promise<OlderMessages | null>
}

/** Keeps a feed complete for the views of its conversation. */
export interface Joined {
  readonly isWatched: boolean
  watch(watcher: Watcher): void
  unwatch(watcher: Watcher): void
  /** Asks the worker for a checkpoint of the conversation, and to publish it from then on. */
  join(): Promise<void>
  changed(): void
  checkpointTaken(): void
  /** Returns a new checkpoint with the known parts kept: equal messages, and older ones. */
  keepKnown(next: ConversationState): ConversationState
  flush(): void
  /** Called when the worker is gone, with everything it had yet to publish. */
  lost(): void
}

/** Publications of one worker about one conversation: its state, and the events of its runs. */
export class Feed {
  readonly conversationId: string
  state: ConversationState
  live: Live = NOTHING_LIVE
  /** Why rows can't be read, or why the conversation could not be joined. */
  fault: ErrorData | null = null
  /** True after a checkpoint: `state` is then the whole conversation, not only the part that was seen. */
  isKnown = false
  readonly followers: Set<RunFollower> = new Set()
  /** Set once a view shows the conversation. */
  joined: Joined | null = null
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
    return this.followers.size > 0 || this.joined?.isWatched === true
  }

  /** Removes the follower of a run, and those of the runs that began with its end. */
  drop(follower: RunFollower | null): void {
    for (let each = follower; each; each = each.next) this.followers.delete(each)
  }

  takeItems(items: readonly StreamItem[]): void {
    const { state, live } = this
    for (const item of items) this.#takeItem(item)
    this.#publish()
    if (this.state.isStale) void this.joined?.join()
    if (this.state !== state || this.live !== live) this.joined?.changed()
  }

  takeCheckpoint(notice: CheckpointNotice): void {
    const { state, live, fault } = notice
    const known = this.isKnown && !this.state.isStale && this.state.era === state.era
    this.state = (known && this.joined?.keepKnown(state)) || state
    // The worker knows nothing of a run that this page itself has refused.
    const left = live.left ?? refused(this.live)
    this.live = state.run?.runId === left?.runId ? live : { ...live, left }
    this.fault = fault
    this.isKnown = true
    this.#catchUp(notice)
    this.joined?.checkpointTaken()
  }

  #catchUp({ state, live, reason }: CheckpointNotice): void {
    const runId = live.waits?.runId ?? state.run?.runId
    if (runId === undefined) return
    for (const each of this.#expected) each.expect(this, runId)
    const hasEnded = state.run?.runId === runId && state.run.end !== null
    for (const follower of this.#followersOf(runId))
      if (reason === 'taken-up' || hasEnded || !follower.hasBegun) follower.catchUp(this)
    // Followers of the run that ended as this one began have missed its end.
    for (const follower of this.#followersOf(state.run?.follows?.runId)) {
      follower.catchUp(this)
      if (follower.next) this.followers.add(follower.next)
    }
    this.#publish()
  }

  #takeItem(item: StreamItem): void {
    if (beginsRun(item) && 'runId' in item && item.runId !== null)
      for (const each of this.#expected) each.expect(this, item.runId).begin()
    const before: Moment = { state: this.state, live: this.live }
    if (isRow(item)) {
      this.state = fold(this.#baseOf(item), [item])
      this.live = settleLive(this.live, item)
    } else if (!this.#isOfAnotherRun(item)) this.live = foldDelta(this.live, item)
    for (const follower of this.followers) {
      follower.take(item, before, this)
      if (follower.next) this.followers.add(follower.next)
    }
  }

  /** True if a run other than the open one ends without a fact, though it may have begun. */
  #isOfAnotherRun(delta: Delta): boolean {
    const { run } = this.state
    const isLeft = delta.type === 'run-left' && delta.message === undefined
    return isLeft && run?.end === null && run.runId !== delta.runId
  }

  /** Returns the state that a row is folded into. */
  #baseOf(row: Row): ConversationState {
    const { state } = this
    const isNext = row.seq === state.seq + 1
    if (isNext) return rooted(state, row)
    if (state.run && row.runId === state.run.runId) return rooted({ ...state, isStale: true }, row)
    // Rows are missing: nobody showed the conversation while others resumed it, or began it anew.
    const isStale = this.isKnown
    this.isKnown = false
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
