import { isRow, type StreamItem } from '../../protocol/notices.ts'
import type { Effects } from '../effects.ts'
import type { TabChannel } from '../ownership/tab-channel.ts'
import type { CommandResult } from '../run/approval/answer-call.ts'
import { isShown } from './check-live.ts'
import type { Driving, TabMessages, TabCommand, TabOutcome } from './tab-messages.ts'
import type { Conversation } from '../conversation.ts'
import { OffstageError, toErrorData } from '../../protocol/error.ts'
import { withStop } from '../stopping.ts'

/** Time for messages that a tab sent before it ended. Milliseconds. */
const LATE_MS = 300

/**
 * Name of the lock that a tab holds while it drives a run, even one that waits without a lease. If another tab gets the
 * lock, the driving tab is gone.
 */
export function drivingLock(tabId: string, conversationId: string): string {
  return `offstage-drives:${tabId}:${conversationId}`
}

/**
 * Calls back once a tab no longer holds its driving lock. Abort the returned controller to stop watching. Without Web
 * Locks, never calls back.
 */
export function watchDriver(
  effects: Pick<Effects, 'locks' | 'sleep'>,
  lock: string,
  onGone: () => void,
): AbortController {
  const stop = new AbortController()
  const { signal } = stop
  const onFree = async (): Promise<void> => {
    void effects.sleep(LATE_MS, signal).then(() => signal.aborted || onGone())
  }
  effects.locks?.request(lock, { signal }, onFree).catch(() => undefined)
  return stop
}

/** The part of a conversation in use that tabs need. */
export interface TabConversation {
  readonly conversation: Conversation
  /** Driver of the run here. Null if none is driven. */
  readonly driver: { checkStore(): Promise<void> } | null
  /** Checks whether another device works on the open run, and shows the result. */
  checkOtherDevices(): Promise<void>
  /** Resolves when no run is driven here any more. */
  whenIdle(): Promise<void>
}

/** Pause between a tab's announcements that it drives a run. Milliseconds. */
export const BEAT_MS = 2500
/** Announcements between checks of the store, in case a message was lost. */
export const CHECK_EVERY = 12
/** Followers answer each announcement. A follower that is silent for this long counts as gone. Milliseconds. */
const FOLLOWED_MS = 15_000

export interface DrivingBeaconOptions {
  readonly channel: TabChannel<TabMessages>
  readonly effects: Effects
  findActive(conversationId: string): TabConversation | undefined
}

/**
 * Announces the runs driven here, and sends their items to the tabs that follow them. Without followers, posts no
 * items.
 */
export class DrivingBeacon {
  readonly #options: DrivingBeaconOptions
  /** Time until which each conversation counts as followed, on the monotonic clock. */
  readonly #followedUntil = new Map<string, number>()
  readonly #sentCounts = new Map<string, number>()

  constructor(options: DrivingBeaconOptions) {
    this.#options = options
    const { channel, findActive } = options
    channel.on('follow-ask', ({ conversationId, isBehind }, from) => {
      const active = findActive(conversationId)
      if (active?.driver) this.#addFollower(active, isBehind ? from : null)
    })
  }

  start(active: TabConversation): void {
    const { channel, effects } = this.#options
    if (!channel.isOpen) return
    const name = drivingLock(channel.tabId, active.conversation.conversationId)
    // If the browser refuses the lock, other tabs only notice later that this tab is gone.
    effects.locks?.request(name, {}, () => active.whenIdle()).catch(() => undefined)
    void this.#announceRepeatedly(active)
  }

  stop({ conversation: { conversationId } }: TabConversation): void {
    this.#followedUntil.delete(conversationId)
    this.#options.channel.post('run-undriven', { conversationId })
  }

  /** Sends published items to the followers, in order. */
  relay(active: TabConversation, items: readonly StreamItem[]): void {
    const { conversationId } = active.conversation
    const { channel, effects } = this.#options
    if ((this.#followedUntil.get(conversationId) ?? 0) < effects.monotonic()) return
    const isStored = items.some(isRow)
    const deltas = items.filter((item) => !isRow(item)).filter(isShown)
    if (!isStored && deltas.length === 0) return
    this.#sentCounts.set(conversationId, this.#announcement(active).sent + 1)
    channel.post('follow-items', { ...this.#announcement(active), isStored, deltas })
  }

  async #announceRepeatedly(active: TabConversation): Promise<void> {
    const { channel, effects } = this.#options
    const { driver } = active
    const stop = new AbortController()
    void active.whenIdle().then(() => stop.abort())
    for (let beat = 1; active.driver === driver; beat++) {
      channel.post('run-driven', this.#announcement(active))
      await effects.sleep(BEAT_MS, stop.signal)
      if (beat % CHECK_EVERY === 0) void active.driver?.checkStore()
    }
  }

  #addFollower(active: TabConversation, to: string | null): void {
    const { stream, conversationId } = active.conversation
    const { channel, effects } = this.#options
    // Sends pending items to earlier followers first.
    if (to !== null) stream.flush()
    this.#followedUntil.set(conversationId, effects.monotonic() + FOLLOWED_MS)
    if (to !== null)
      channel.post('follow-begin', { ...this.#announcement(active), to, live: stream.live })
  }

  #announcement({ conversation }: TabConversation): Driving {
    const { conversationId, claimed } = conversation
    return { conversationId, epoch: claimed.epoch, sent: this.#sentCounts.get(conversationId) ?? 0 }
  }
}

/** How long the driving tab may take to answer before it is asked again. Milliseconds. */
const ANSWER_MS = 1000
/** Unanswered requests in a row after which a known driver counts as gone. */
const MAX_UNANSWERED = 3
/** Time for an answer while no driver is known. A driver answers at once. Milliseconds. */
const UNKNOWN_DRIVER_MS = 300
/** Longest wait for a command under way: an edited input may have to wait for its tool. Milliseconds. */
const ANSWER_LIMIT_MS = 20_000

/** A command with its id, by which it takes effect only once, even if it is sent to several tabs or repeatedly. */
export interface SentCommand {
  readonly commandId: string
  readonly command: TabCommand
}

/** Applies another tab's command to the run driven here. Null if the run isn't driven here. */
export type Perform = (conversationId: string, sent: SentCommand) => Promise<CommandResult> | null

/** Sends a person's commands to the tab that drives the run, and answers other tabs' commands. */
export class TabCommands {
  readonly #channel: TabChannel<TabMessages>
  readonly #effects: Pick<Effects, 'sleep' | 'locks'>

  constructor(
    channel: TabChannel<TabMessages>,
    effects: Pick<Effects, 'sleep' | 'locks'>,
    perform: Perform,
  ) {
    this.#channel = channel
    this.#effects = effects
    channel.on('command-ask', async ({ conversationId, to, commandId, command }) => {
      if (to !== null && to !== channel.tabId) return
      const result = perform(conversationId, { commandId, command })
      if (!result) return
      channel.post('command-outcome', { commandId, outcome: { pending: true } })
      channel.post('command-outcome', { commandId, outcome: await outcomeOf(result) })
    })
  }

  /**
   * Sends the command, and returns its result. Null if no tab answers: nobody drives the run. Rejects with the driver's
   * error. `driver`: the driving tab. Null: a tab will drive the run soon. Undefined: unknown.
   */
  async send(
    conversationId: string,
    driver: string | null | undefined,
    sent: SentCommand,
  ): Promise<CommandResult | null> {
    const channel = this.#channel
    if (!channel.isOpen) return null
    const { commandId } = sent
    let to = driver ?? null
    let outcome = null as TabOutcome | null
    let unanswered = 0
    let wake = (): void => undefined
    let isGone = false
    const isOpen = (): boolean => outcome === null || 'pending' in outcome
    const watch = (tabId: string): AbortController =>
      watchDriver(this.#effects, drivingLock(tabId, conversationId), () => {
        isGone = true
        wake()
      })
    let watcher = to === null ? null : watch(to)
    const removeOutcome = channel.on('command-outcome', (answer) => {
      if (answer.commandId !== commandId || !isOpen()) return
      outcome = answer.outcome
      unanswered = 0
      if (!isOpen()) wake()
    })
    // Switches to a new driver: the former one may be dead, and never answer.
    const removeDriven = channel.on('run-driven', (driving, from) => {
      if (driving.conversationId !== conversationId || from === to) return
      to = from
      watcher?.abort()
      watcher = watch(from)
      isGone = false
      unanswered = 0
      wake()
    })
    const maxUnanswered = (): number => (to === null && driver === undefined ? 1 : MAX_UNANSWERED)
    const maxTries = ANSWER_LIMIT_MS / ANSWER_MS
    for (
      let tries = 0;
      !isGone && isOpen() && unanswered < maxUnanswered() && tries < maxTries;
      tries++
    ) {
      await withStop([], async (wait) => {
        wake = () => wait.abort()
        unanswered++
        channel.post('command-ask', { conversationId, to, ...sent })
        await this.#effects.sleep(
          to === null && outcome === null ? UNKNOWN_DRIVER_MS : ANSWER_MS,
          wait.signal,
        )
      })
    }
    removeOutcome()
    removeDriven()
    watcher?.abort()
    return outcome && resultOf(outcome)
  }
}

async function outcomeOf(result: Promise<CommandResult>): Promise<TabOutcome> {
  try {
    const commandResult = await result
    return commandResult === 'other-owner' ? { left: true } : { done: commandResult === 'applied' }
  } catch (thrown) {
    return { error: toErrorData(thrown) }
  }
}

function resultOf(outcome: TabOutcome): CommandResult | null {
  if ('error' in outcome) throw OffstageError.fromData(outcome.error)
  if ('pending' in outcome) return null
  if ('left' in outcome) return 'other-owner'
  return outcome.done ? 'applied' : 'not-waiting'
}
