import type { StreamItem } from '../../protocol/stream.ts'
import { isRow } from '../../protocol/stream.ts'
import type { Effects } from '../effects.ts'
import type { TabChannel } from '../ownership/tab-channel.ts'
import { isShown } from './check-live.ts'
import type { Driving, TabMessages } from './tab-messages.ts'
import type { TabSeat } from './tab-seat.ts'

/** Pause between the messages by which a tab says that it drives a run. Milliseconds. */
export const BEAT_MS = 2500
/** Beats after which the store is looked at, should a message have been lost. */
export const LOOK_EVERY = 12
/** Tabs that follow answer each of them: one that hasn't for this long is gone. Milliseconds. */
const FOLLOWED_MS = 15_000

export interface DrivenOptions {
  readonly channel: TabChannel<TabMessages>
  readonly effects: Effects
  seatOf(conversationId: string): TabSeat | undefined
}

/** The runs that are driven here, for the tabs that follow them. As long as there are none, nothing of a run is posted. */
export class Driven {
  readonly #options: DrivenOptions
  /** By conversation: until when, on the monotonic clock, somebody follows it. */
  readonly #followed = new Map<string, number>()
  readonly #sent = new Map<string, number>()

  constructor(options: DrivenOptions) {
    this.#options = options
    const { channel, seatOf } = options
    channel.on('follow-ask', ({ conversationId, isBehind }, from) => {
      const seat = seatOf(conversationId)
      if (seat?.driver) this.#follow(seat, isBehind ? from : null)
    })
  }

  begin(seat: TabSeat): void {
    if (this.#options.channel.isOpen) void this.#beat(seat)
  }

  end({ conversation: { conversationId } }: TabSeat): void {
    this.#followed.delete(conversationId)
    this.#options.channel.post('run-undriven', { conversationId })
  }

  /** What is published here, in the same order. */
  relay(seat: TabSeat, items: readonly StreamItem[]): void {
    const { conversationId } = seat.conversation
    const { channel, effects } = this.#options
    if ((this.#followed.get(conversationId) ?? 0) < effects.monotonic()) return
    const isStored = items.some(isRow)
    const deltas = items.filter((item) => !isRow(item)).filter(isShown)
    if (!isStored && deltas.length === 0) return
    this.#sent.set(conversationId, this.#driving(seat).sent + 1)
    channel.post('follow-items', { ...this.#driving(seat), isStored, deltas })
  }

  async #beat(seat: TabSeat): Promise<void> {
    const { channel, effects } = this.#options
    const { driver } = seat
    const stop = new AbortController()
    void seat.idle().then(() => stop.abort())
    for (let beat = 1; seat.driver === driver; beat++) {
      channel.post('run-driven', this.#driving(seat))
      await effects.sleep(BEAT_MS, stop.signal)
      if (beat % LOOK_EVERY === 0) void seat.driver?.look()
    }
  }

  #follow(seat: TabSeat, to: string | null): void {
    const { stream, conversationId } = seat.conversation
    const { channel, effects } = this.#options
    // Those that follow already get what is on its way.
    if (to !== null) stream.flush()
    this.#followed.set(conversationId, effects.monotonic() + FOLLOWED_MS)
    if (to !== null) channel.post('follow-begin', { ...this.#driving(seat), to, live: stream.live })
  }

  #driving({ conversation }: TabSeat): Driving {
    const { conversationId, lease } = conversation
    return { conversationId, epoch: lease.epoch, sent: this.#sent.get(conversationId) ?? 0 }
  }
}
