import type { StreamItem } from '../../protocol/stream.ts'
import { isRow } from '../../protocol/stream.ts'
import type { Effects } from '../effects.ts'
import type { TabChannel } from '../ownership/tab-channel.ts'
import { isShown } from './check-live.ts'
import { drivingLock } from './driving-lock.ts'
import type { Driving, TabMessages } from './tab-messages.ts'
import type { TabConversation } from './tab-conversation.ts'

/** Pause between the messages by which a tab says that it drives a run. Milliseconds. */
export const BEAT_MS = 2500
/** Beats after which the store is looked at, should a message have been lost. */
export const LOOK_EVERY = 12
/** Tabs that follow answer each of them: one that hasn't for this long is gone. Milliseconds. */
const FOLLOWED_MS = 15_000

export interface DrivingBeaconOptions {
  readonly channel: TabChannel<TabMessages>
  readonly effects: Effects
  activeOf(conversationId: string): TabConversation | undefined
}

/** The runs that are driven here, for the tabs that follow them. As long as there are none, nothing of a run is posted. */
export class DrivingBeacon {
  readonly #options: DrivingBeaconOptions
  /** By conversation: until when, on the monotonic clock, somebody follows it. */
  readonly #followed = new Map<string, number>()
  readonly #sent = new Map<string, number>()

  constructor(options: DrivingBeaconOptions) {
    this.#options = options
    const { channel, activeOf } = options
    channel.on('follow-ask', ({ conversationId, isBehind }, from) => {
      const active = activeOf(conversationId)
      if (active?.driver) this.#follow(active, isBehind ? from : null)
    })
  }

  begin(active: TabConversation): void {
    const { channel, effects } = this.#options
    if (!channel.isOpen) return
    const name = drivingLock(channel.tabId, active.conversation.conversationId)
    // A browser that refuses it leaves others to ask in vain for a while.
    effects.locks?.request(name, {}, () => active.idle()).catch(() => undefined)
    void this.#beat(active)
  }

  end({ conversation: { conversationId } }: TabConversation): void {
    this.#followed.delete(conversationId)
    this.#options.channel.post('run-undriven', { conversationId })
  }

  /** What is published here, in the same order. */
  relay(active: TabConversation, items: readonly StreamItem[]): void {
    const { conversationId } = active.conversation
    const { channel, effects } = this.#options
    if ((this.#followed.get(conversationId) ?? 0) < effects.monotonic()) return
    const isStored = items.some(isRow)
    const deltas = items.filter((item) => !isRow(item)).filter(isShown)
    if (!isStored && deltas.length === 0) return
    this.#sent.set(conversationId, this.#driving(active).sent + 1)
    channel.post('follow-items', { ...this.#driving(active), isStored, deltas })
  }

  async #beat(active: TabConversation): Promise<void> {
    const { channel, effects } = this.#options
    const { driver } = active
    const stop = new AbortController()
    void active.idle().then(() => stop.abort())
    for (let beat = 1; active.driver === driver; beat++) {
      channel.post('run-driven', this.#driving(active))
      await effects.sleep(BEAT_MS, stop.signal)
      if (beat % LOOK_EVERY === 0) void active.driver?.look()
    }
  }

  #follow(active: TabConversation, to: string | null): void {
    const { stream, conversationId } = active.conversation
    const { channel, effects } = this.#options
    // Those that follow already get what is on its way.
    if (to !== null) stream.flush()
    this.#followed.set(conversationId, effects.monotonic() + FOLLOWED_MS)
    if (to !== null)
      channel.post('follow-begin', { ...this.#driving(active), to, live: stream.live })
  }

  #driving({ conversation }: TabConversation): Driving {
    const { conversationId, lease } = conversation
    return { conversationId, epoch: lease.epoch, sent: this.#sent.get(conversationId) ?? 0 }
  }
}
