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

/** Whoever waits for a worker to name a run, and may want its events from where it is taken up. */
export interface RunsExpected {
  /** The follower for a run that may be the one. */
  expect(feed: Feed, runId: string): RunFollower
}

/** Somebody who shows a conversation. */
export interface Watcher {
  changed(): void
  /** Notifies now what waits for the next frame. */
  flush(): void
  join(): Promise<void>
  leave(): void
  olderMessages(before: string): Promise<OlderMessages | null>
}

/** What keeps a feed whole for those who show its conversation. */
export interface Joined {
  readonly isWatched: boolean
  watch(watcher: Watcher): void
  unwatch(watcher: Watcher): void
  /** Has the worker send where the conversation stands, and publish it from then on. */
  join(): Promise<void>
  changed(): void
  checkpointTaken(): void
  /** A new checkpoint with what is known already: the same messages, and those before them. */
  keepKnown(next: ConversationState): ConversationState
  flush(): void
  /** The worker is gone, with what it had still to say. */
  lost(): void
}

/** What one worker publishes of one conversation: where it stands, and the events of its runs. */
export class Feed {
  readonly conversationId: string
  state: ConversationState
  live: Live = NOTHING_LIVE
  /** Why rows can't be read, or why the conversation could not be joined. */
  fault: ErrorData | null = null
  /** There was a checkpoint: `state` is the conversation, and not only what was seen of it. */
  isKnown = false
  readonly followers: Set<RunFollower> = new Set()
  /** Once somebody shows the conversation. */
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

  /** Nobody wants the events of a run, nor of those that began with its end. */
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
    // The worker knows nothing of a run that this page has refused by itself.
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
    // Those of the run that ended as this one began have missed it.
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

  /** A run that ends without a fact while another one is open, though it may have begun. */
  #isOfAnotherRun(delta: Delta): boolean {
    const { run } = this.state
    const isLeft = delta.type === 'run-left' && delta.message === undefined
    return isLeft && run?.end === null && run.runId !== delta.runId
  }

  /** What a row is folded on. */
  #baseOf(row: Row): ConversationState {
    const { state } = this
    const isNext = row.seq === state.seq + 1
    if (isNext) return rooted(state, row)
    if (state.run && row.runId === state.run.runId) return rooted({ ...state, isStale: true }, row)
    // Nobody showed the conversation while others went on with it, or began it anew.
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
