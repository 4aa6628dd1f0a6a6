import { OffstageError, toErrorData } from '../../protocol/error.ts'
import type { Effects } from '../effects.ts'
import type { TabChannel } from '../ownership/tab-channel.ts'
import { withStop } from '../ownership/with-stop.ts'
import { drivingLock, watchDriver } from './driving-beacon.ts'
import type { TabCommand, TabMessages, TabOutcome } from './tab-messages.ts'

/** How long the driving tab may take to answer before it is asked again. Milliseconds. */
const ANSWER_MS = 1000
/** Unanswered requests in a row after which a known driver counts as gone. */
const MAX_UNANSWERED = 3
/** Wait for an answer while no driver is known. A driver answers at once. Milliseconds. */
const ANY_MS = 300
/** Longest wait for a command under way: an edited input may wait for its tool. Milliseconds. */
const ANSWER_LIMIT_MS = 20_000

/** A command with its id. The id makes it count once, however often and to whomever it is sent. */
export interface SentCommand {
  readonly commandId: string
  readonly command: TabCommand
}

/** Applies another tab's command to the run driven here. Null if the run isn't driven here, or no longer. */
export type Perform = (conversationId: string, asked: SentCommand) => Promise<boolean | null> | null

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
      const done = perform(conversationId, { commandId, command })
      if (!done) return
      channel.post('command-outcome', { commandId, outcome: { pending: true } })
      channel.post('command-outcome', { commandId, outcome: await outcomeOf(done) })
    })
  }

  /**
   * Outcome of the command. Null if no tab answers, so nobody drives the run. `left` if the driver leaves the run to
   * somebody else. Throws the error that the driver threw. `driver`: the known driver; null: one will drive it soon;
   * undefined: unknown.
   */
  async ask(
    conversationId: string,
    driver: string | null | undefined,
    sent: SentCommand,
  ): Promise<boolean | 'left' | null> {
    const channel = this.#channel
    if (!channel.isOpen) return null
    const { commandId } = sent
    let to = driver ?? null
    let outcome = null as TabOutcome | null
    let unanswered = 0
    let onWord = (): void => undefined
    let isGone = false
    const isOpen = (): boolean => outcome === null || 'pending' in outcome
    const watch = (tabId: string): AbortController =>
      watchDriver(this.#effects, drivingLock(tabId, conversationId), () => {
        isGone = true
        onWord()
      })
    let watching = to === null ? null : watch(to)
    const removeOutcome = channel.on('command-outcome', (answer) => {
      if (answer.commandId !== commandId || !isOpen()) return
      outcome = answer.outcome
      unanswered = 0
      if (!isOpen()) onWord()
    })
    // Switches to a new driver. The former worker may have died, and can't answer any more.
    const removeDriven = channel.on('run-driven', (driving, from) => {
      if (driving.conversationId !== conversationId || from === to) return
      to = from
      watching?.abort()
      watching = watch(from)
      isGone = false
      unanswered = 0
      onWord()
    })
    const limit = (): number => (to === null && driver === undefined ? 1 : MAX_UNANSWERED)
    const most = ANSWER_LIMIT_MS / ANSWER_MS
    for (let asked = 0; !isGone && isOpen() && unanswered < limit() && asked < most; asked++) {
      await withStop([], async (wait) => {
        onWord = () => wait.abort()
        unanswered++
        channel.post('command-ask', { conversationId, to, ...sent })
        await this.#effects.sleep(to === null && outcome === null ? ANY_MS : ANSWER_MS, wait.signal)
      })
    }
    removeOutcome()
    removeDriven()
    watching?.abort()
    return outcome && valueOf(outcome)
  }
}

async function outcomeOf(done: Promise<boolean | null>): Promise<TabOutcome> {
  try {
    const value = await done
    return value === null ? { left: true } : { done: value }
  } catch (thrown) {
    return { error: toErrorData(thrown) }
  }
}

function valueOf(outcome: TabOutcome): boolean | 'left' | null {
  if ('error' in outcome) throw OffstageError.fromData(outcome.error)
  if ('left' in outcome) return 'left'
  return 'done' in outcome ? outcome.done : null
}
