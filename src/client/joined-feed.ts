import { olderThan, withOlder } from '../conversation/checkpoint.ts'
import { toErrorData } from '../protocol/error.ts'
import type { ConversationState, OlderMessages } from '../protocol/state.ts'
import type { Feed, Joined, Watcher } from './feed.ts'

/** Time between attempts to join while the worker can't read the conversation. Milliseconds. */
const RETRY_MS = 3000

/** Joins a feed and loads its older messages, for as long as somebody watches it. */
export class JoinedFeed implements Joined {
  readonly #feed: Feed
  readonly #watchers = new Set<Watcher>()
  /** The watcher that asked the worker to join. */
  #joiner: Watcher | undefined
  /** `#isAsking`: the join request has no answer yet. `#isDue`: the checkpoint hasn't arrived yet. */
  #isAsking = false
  #isDue = false
  #isLoading = false

  constructor(feed: Feed) {
    this.#feed = feed
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0
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
    // The worker follows the feed for one agent. When that agent leaves, another watcher must join.
    if (this.#watchers.size > 0) return void this.join()
    this.#feed.isKnown = false
    watcher.leave()
  }

  keepKnown(next: ConversationState): ConversationState {
    const { state } = this.#feed
    const known = new Map(state.path.map((node) => [node.id, node]))
    const path = next.path.map((node) => {
      const before = known.get(node.id)
      return before && JSON.stringify(before) === JSON.stringify(node) ? before : node
    })
    const first = path[0]
    const page = first && olderThan(state, first.id, Infinity)
    const kept = { ...next, path }
    return page ? withOlder(kept, page) : kept
  }

  checkpointTaken(): void {
    this.#isDue = false
    this.changed()
    void this.#loadOlder()
  }

  changed(): void {
    for (const watcher of this.#watchers) watcher.changed()
  }

  flush(): void {
    for (const watcher of this.#watchers) watcher.flush()
  }

  lost(): void {
    this.#isDue = false
  }

  async join(): Promise<void> {
    const [watcher] = this.#watchers
    if (!watcher || this.#isAsking || this.#isDue) return
    this.#isAsking = this.#isDue = true
    this.#joiner = watcher
    let error: unknown = null
    await watcher.join().catch((thrown: unknown) => (error = thrown))
    // The watcher has left, and another may have joined since.
    if (this.#joiner !== watcher || !this.#watchers.has(watcher)) return
    this.#isAsking = false
    if (error === null) return
    this.#isDue = false
    const fault = toErrorData(error)
    this.#feed.fault = fault
    this.changed()
    if (fault.retryable) setTimeout(() => void this.join(), RETRY_MS)
  }

  async #loadOlder(): Promise<void> {
    if (this.#isLoading) return
    this.#isLoading = true
    const feed = this.#feed
    try {
      while (feed.isKnown && feed.state.older > 0) {
        const [watcher] = this.#watchers
        const [first] = feed.state.path
        if (!watcher || !first) break
        const page = await watcher.olderMessages(first.id)
        if (page && this.#takeOlder(page)) this.changed()
        else if (feed.state.path[0] === first) break
      }
    } catch {
      // The next checkpoint triggers another attempt.
    } finally {
      this.#isLoading = false
    }
  }

  /** Adds messages before the known ones. False if they don't connect to the known ones. */
  #takeOlder(page: OlderMessages): boolean {
    const { state } = this.#feed
    this.#feed.state = withOlder(state, page)
    return this.#feed.state !== state
  }
}
