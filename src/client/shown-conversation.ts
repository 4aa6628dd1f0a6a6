import { emptySnapshot } from '../conversation/empty-snapshot.ts'
import { NOTHING_LIVE } from '../conversation/live.ts'
import type { ConversationSnapshot } from '../conversation/snapshot.ts'
import { view } from '../conversation/view.ts'
import { storageKey } from '../protocol/conversation.ts'
import type { Live } from '../protocol/live.ts'
import { LEFT_OPEN } from '../protocol/run.ts'
import type { OlderMessages } from '../protocol/state.ts'
import type { StreamRef } from '../protocol/stream.ts'
import type { AgentParts } from './agent-parts.ts'
import type { Feed, Watcher } from './feed.ts'
import { askedRun, withAskedRun } from './asked-run.ts'
import { JoinedFeed } from './joined-feed.ts'
import { Notifier } from './notifier.ts'
import { ShownChildren } from './shown-children.ts'
import type { Listeners, Source } from './snapshot-store.ts'
import { noteShown } from './where-shown.ts'

/** How long a conversation without listeners is still followed: a component may mount again. Milliseconds. */
const LEAVE_MS = 5000
const PAGE = 1000
/** How many conversations keep their snapshots after nobody follows them. */
const LEFT_KNOWN = 8
/** The one that was left first comes first. */
const leftKnown = new Set<ShownConversation>()

/** An agent's view of a conversation. */
export class ShownConversation implements Source<ConversationSnapshot>, Watcher {
  readonly #agent: AgentParts
  readonly #listeners: Listeners
  readonly #notifier: Notifier
  readonly #ref: StreamRef
  readonly #first: ConversationSnapshot
  #feed: Feed | undefined
  /** Snapshot that includes the state of child conversations. */
  #snapshot: ConversationSnapshot
  /** The requested run, the snapshot without it, and the snapshot with it. */
  #asked: readonly [ReturnType<typeof askedRun>, ConversationSnapshot, ConversationSnapshot]
  /** Snapshot of this conversation alone. */
  #own: ConversationSnapshot
  readonly #children: ShownChildren
  /** The parts that `#own` was made of. */
  #made: readonly [Feed['state'], Feed['live'], Feed['fault']] | undefined
  #leaving: ReturnType<typeof setTimeout> | undefined

  /** The owner must call `close()` or `end()`. */
  constructor(agent: AgentParts, first: ConversationSnapshot, listeners: Listeners) {
    const { conversationId } = first
    this.#agent = agent
    this.#listeners = listeners
    this.#notifier = new Notifier(listeners)
    this.#ref = { storage: storageKey(agent.scope().storage), conversationId }
    this.#first = first
    this.#snapshot = first
    this.#asked = [null, first, first]
    this.#own = first
    this.#children = new ShownChildren((childId, notify) => {
      const child = emptySnapshot(childId, 'loading')
      return new ShownConversation(agent, child, new Set([notify]))
    }, this.#notifier)
  }

  read(): ConversationSnapshot {
    const settled = this.#settled()
    const { runs, signal } = this.#agent
    const commands = signal.aborted ? [] : runs.commands.values()
    const asked = askedRun(commands, this.#ref.conversationId, this.#feed)
    const [before, madeOf] = this.#asked
    if (asked !== before || settled !== madeOf)
      this.#asked = [asked, settled, asked ? withAskedRun(settled, asked) : settled]
    return this.#asked[2]
  }

  #settled(): ConversationSnapshot {
    const feed = this.#feed
    if (!feed || !(feed.isKnown || feed.fault)) return this.#snapshot
    const made = [feed.state, feed.live, feed.fault] as const
    if (made.some((part, at) => part !== this.#made?.[at])) {
      this.#made = made
      this.#own = view(...made)
      noteShown(this.#ref.conversationId, this.#own.pending)
      this.#children.follow(this.#own)
    }
    this.#snapshot = this.#children.joinedTo(this.#own)
    return this.#snapshot
  }

  attend(): void {
    clearTimeout(this.#leaving)
    if (this.#agent.signal.aborted) return
    leftKnown.delete(this)
    this.#feed ??= this.#watch()
    if (this.#listeners.size === 0) this.#leaving = setTimeout(() => this.#leave(), LEAVE_MS)
  }

  changed(): void {
    this.#notifier.changed()
  }

  flush(): void {
    this.#notifier.flush()
  }

  join(): Promise<void> {
    return this.#agent.ask('join', this.#scope)
  }

  leave(): void {
    if (!this.#agent.signal.aborted) this.#agent.ask('leave', this.#scope).catch(() => undefined)
  }

  olderMessages(before: string): Promise<OlderMessages | null> {
    return this.#agent.ask('olderMessages', { ...this.#scope, before, count: PAGE })
  }

  get #scope() {
    return { ...this.#agent.scope(), conversationId: this.#ref.conversationId }
  }

  #watch(): Feed {
    const feed = this.#agent.link().feeds.open(this.#ref)
    feed.joined ??= new JoinedFeed(feed)
    feed.joined.watch(this)
    return feed
  }

  /** Stops following. */
  end(): void {
    clearTimeout(this.#leaving)
    this.#unwatch()
  }

  #leave(): void {
    this.#unwatch()
    leftKnown.add(this)
    for (const left of leftKnown) if (leftKnown.size > LEFT_KNOWN) left.#forget()
  }

  /**
   * Drops the snapshot, which is loaded again on demand. A conversation with unfinished work keeps it, so that its
   * pending calls stay known.
   */
  #forget(): void {
    leftKnown.delete(this)
    if (this.#snapshot.status !== 'idle' || this.#agent.signal.aborted) return
    this.#made = undefined
    this.#own = this.#snapshot = this.#first
    this.#asked = [null, this.#first, this.#first]
  }

  #unwatch(): void {
    this.#settled()
    this.#children.end()
    this.#feed?.joined?.unwatch(this)
    this.#feed = undefined
    this.#agent.link().feeds.prune(this.#ref)
  }

  /** Ends the view of a disposed agent: nothing changes, continues, or can be answered here any more. */
  close(): void {
    const shown = this.#asked[2]
    this.end()
    if (shown.runId === undefined && shown.status === 'idle') return
    const { runId } = this.#snapshot
    if (this.#made && runId !== undefined) {
      const [state, { step }, fault] = this.#made
      const outcome = { outcome: 'aborted', reason: LEFT_OPEN.disposed } as const
      // The part of an answer that a person has read stays in view.
      const left: Live['step'] = step && { ...step, isLeft: true }
      this.#snapshot = view(state, { ...NOTHING_LIVE, step: left, left: { runId, outcome } }, fault)
    }
    this.#snapshot = { ...this.#snapshot, status: 'idle', pending: [] }
    this.#notifier.changed()
  }
}
