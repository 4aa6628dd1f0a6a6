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

/** Makes the events of one run for one handle, from what its conversation's stream carries. */
export class RunFollower {
  readonly runId: string
  /** Null: it waits for the point in the stream where it begins. */
  #cursor: Cursor | null = null
  /** Not published yet: as long as it isn't known whether a handle is wanted, all of them. */
  #events: RunEventBody[] = []
  #handle: RunHandle | null = null
  /** Of the run that begins as this one ends. */
  next: RunFollower | null = null

  constructor(runId: string) {
    this.runId = runId
  }

  /** From where the run begins. */
  begin(): this {
    this.#cursor ??= startCursor(this.runId)
    return this
  }

  /** From where the run stands. One without a handle forgets what came before. */
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

  /** `before` and `after`: where the conversation stood, and where it stands with this item. */
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

  /** From now on the handle gets the events, those first that are there. */
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

/** Nothing of the run came before it. */
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
