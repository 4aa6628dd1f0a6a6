import { toErrorData } from '../protocol/error.ts'
import type { OlderMessages } from '../protocol/state.ts'
import type { CheckpointNotice, StreamItem } from '../protocol/stream.ts'
import { Feed } from './feed.ts'

/** Somebody who shows a conversation. */
export interface Watcher {
  changed(): void
  /** Notifies now what waits for the next frame. */
  flush(): void
  join(): Promise<void>
  leave(): void
  olderMessages(before: string): Promise<OlderMessages | null>
}

/** A feed that is joined, and completed with older messages, for as long as somebody watches it. */
export class JoinedFeed extends Feed {
  readonly #watchers = new Set<Watcher>()
  /** The one that asked the worker to join. */
  #joiner: Watcher | undefined
  /** The worker is being asked to join, or has been and owes the checkpoint. */
  #isAsking = false
  #isDue = false
  #isLoading = false

  get isInUse(): boolean {
    return this.#watchers.size + this.followers.size > 0
  }

  watch(watcher: Watcher): void {
    const isFirst = this.#watchers.size === 0
    this.#watchers.add(watcher)
    if (isFirst) void this.join()
  }

  unwatch(watcher: Watcher): void {
    if (!this.#watchers.delete(watcher)) return
    const isJoiner = this.#joiner === watcher
    if (this.#watchers.size > 0 && !isJoiner) return
    this.#isAsking = this.#isDue = false
    // The worker follows it in the name of an agent: another one takes its place.
    if (this.#watchers.size > 0) return void this.join()
    this.isKnown = false
    watcher.leave()
  }

  override takeItems(items: readonly StreamItem[]): void {
    const { state, live } = this
    super.takeItems(items)
    if (this.state.isStale) void this.join()
    if (this.state !== state || this.live !== live) this.#changed()
  }

  override takeCheckpoint(notice: CheckpointNotice): void {
    this.#isDue = false
    super.takeCheckpoint(notice)
    this.#changed()
    void this.#loadOlder()
  }

  flush(): void {
    for (const watcher of this.#watchers) watcher.flush()
  }

  /** The worker is gone, with what it had still to say. */
  lost(): void {
    this.#isDue = false
  }

  /** Has the worker send where the conversation stands, and publish it from then on. */
  async join(): Promise<void> {
    const [watcher] = this.#watchers
    if (!watcher || this.#isAsking || this.#isDue) return
    this.#isAsking = this.#isDue = true
    this.#joiner = watcher
    let error: unknown = null
    await watcher.join().catch((thrown: unknown) => (error = thrown))
    // Whoever asked is gone, and another one has asked since.
    if (this.#joiner !== watcher || !this.#watchers.has(watcher)) return
    this.#isAsking = false
    if (error === null) return
    this.#isDue = false
    this.fault = toErrorData(error)
    this.#changed()
  }

  async #loadOlder(): Promise<void> {
    if (this.#isLoading) return
    this.#isLoading = true
    try {
      while (this.isKnown && this.state.older > 0) {
        const [watcher] = this.#watchers
        const [first] = this.state.path
        if (!watcher || !first) break
        const page = await watcher.olderMessages(first.id)
        if (page && this.takeOlder(page)) this.#changed()
        else if (this.state.path[0] === first) break
      }
    } catch {
      // With the next checkpoint they are asked for again.
    } finally {
      this.#isLoading = false
    }
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher.changed()
  }
}
