import type { Moment } from '../conversation/project.ts'
import {
  catchUpEvents,
  type Cursor,
  joinCursor,
  projectDelta,
  projectFact,
  type Projection,
  startCursor,
} from '../conversation/project.ts'
import type { RunEventBody } from '../protocol/event.ts'
import { isRow, type StreamItem } from '../protocol/stream.ts'
import type { RunHandle } from './run-handle.ts'

/** Makes the events of one run for one handle, from the stream of its conversation. */
export class RunFollower {
  readonly runId: string
  /** Null while it waits for the point in the stream where the run begins. */
  #cursor: Cursor | null = null
  /** Events that are not published yet. All are kept until it is known whether a handle needs them. */
  #events: RunEventBody[] = []
  #handle: RunHandle | null = null
  /** Follower of the run that begins as this one ends. */
  next: RunFollower | null = null

  constructor(runId: string) {
    this.runId = runId
  }

  /** Follows the run from its beginning. */
  begin(): this {
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

  /** Takes an item. `before` and `after`: states of the conversation without and with it. */
  take(item: StreamItem, before: Moment, after: Moment): void {
    if (!('runId' in item) || item.runId !== this.runId) return
    if (this.#cursor === null) {
      if (beginsRun(item)) this.begin()
      else this.catchUp(before)
    }
    const moment = { state: after.state, live: before.live }
    const { cursor, events } = this.#project(item, moment)
    this.#cursor = cursor
    this.#events.push(...events)
    if (item.type === 'run-ended' && item.next !== undefined)
      this.next = new RunFollower(item.next).begin()
  }

  #project(item: StreamItem, moment: Moment): Projection {
    const cursor = this.#cursor ?? startCursor(this.runId)
    return isRow(item) ? projectFact(cursor, item, moment) : projectDelta(cursor, item, moment)
  }

  /** Publishes to the handle from now on, the waiting events first. */
  attach(handle: RunHandle): void {
    this.#handle = handle
    this.publish()
  }

  isOf(handle: RunHandle): boolean {
    return this.#handle === handle
  }

  publish(): void {
    if (this.#handle && this.#events.length > 0) this.#handle.push(this.#events.splice(0))
  }
}

/** True if nothing of the run came before the item. */
export function beginsRun(item: StreamItem): boolean {
  switch (item.type) {
    case 'run-started':
      return true
    case 'storage-waits':
      return item.message !== undefined
    default:
      return false
  }
}
