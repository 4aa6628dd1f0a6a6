import { OffstageError, toErrorData } from '../../protocol/error.ts'
import type { Effects } from '../effects.ts'
import type { TabChannel } from '../ownership/tab-channel.ts'
import { withStop } from '../ownership/with-stop.ts'
import { drivingLock } from './driven.ts'
import type { TabCommand, TabMessages, TabOutcome } from './tab-messages.ts'

/** How long the tab that drives the run may take to answer before it is asked again. Milliseconds. */
const ANSWER_MS = 1000
/** Questions that a tab which is known to drive it doesn't answer, after which it is gone. */
const MAX_UNANSWERED = 3
/** Where it isn't known whether any tab drives it: one that does answers at once. Milliseconds. */
const ANY_MS = 300
/** One that is under way has this long: an edited input may wait for its tool. Milliseconds. */
const ANSWER_LIMIT_MS = 20_000

/** Does what another tab asks, if the run is driven here; null: it isn't. */
export type Perform = (conversationId: string, command: TabCommand) => Promise<boolean> | null

/** What a person does in one tab to a run that another tab drives. */
export class TabCommands {
  readonly #channel: TabChannel<TabMessages>
  readonly #effects: Pick<Effects, 'sleep' | 'newId' | 'locks'>
  /** What came of each command: one that is asked again, since its answer was lost, is done once. */
  readonly #outcomes = new Map<string, Promise<TabOutcome>>()

  constructor(
    channel: TabChannel<TabMessages>,
    effects: Pick<Effects, 'sleep' | 'newId' | 'locks'>,
    perform: Perform,
  ) {
    this.#channel = channel
    this.#effects = effects
    channel.on('command-ask', async ({ conversationId, to, commandId, command }) => {
      if (to !== null && to !== channel.tabId) return
      const known = this.#outcomes.get(commandId)
      const done = known ? null : perform(conversationId, command)
      const outcome = known ?? (done && outcomeOf(done))
      if (!outcome) return
      this.#outcomes.set(commandId, outcome)
      channel.post('command-outcome', { commandId, outcome: { pending: true } })
      channel.post('command-outcome', { commandId, outcome: await outcome })
      if (known) return
      await effects.sleep(ANSWER_LIMIT_MS)
      this.#outcomes.delete(commandId)
    })
  }

  /**
   * What it came to; null when no tab answers, so that nobody drives the run. Throws what it threw there.
   * `to`: the tab that is known to drive it.
   */
  async ask(
    conversationId: string,
    to: string | null,
    command: TabCommand,
  ): Promise<boolean | null> {
    if (!this.#channel.isOpen) return null
    const commandId = this.#effects.newId('command-')
    let outcome = null as TabOutcome | null
    let onOutcome = (): void => undefined
    const remove = this.#channel.on('command-outcome', (answer) => {
      if (answer.commandId !== commandId) return
      if (outcome === null || 'pending' in outcome) outcome = answer.outcome
      onOutcome()
    })
    const gone = new AbortController()
    if (to !== null) this.#watch(drivingLock(to, conversationId), gone)
    const isOpen = (): boolean => !gone.signal.aborted && (outcome === null || 'pending' in outcome)
    const unanswered = to === null ? 1 : MAX_UNANSWERED
    const limit = (): number => (outcome === null ? unanswered : ANSWER_LIMIT_MS / ANSWER_MS)
    for (let asked = 0; isOpen() && asked < limit(); asked++) {
      await withStop([gone.signal], async (wait) => {
        onOutcome = () => isOpen() || wait.abort()
        this.#channel.post('command-ask', { conversationId, to, commandId, command })
        const isFirst = to === null && outcome === null
        await this.#effects.sleep(isFirst ? ANY_MS : ANSWER_MS, wait.signal)
      })
    }
    remove()
    gone.abort()
    return outcome && valueOf(outcome)
  }

  /** Aborts once the lock is free, and watches it until then. */
  #watch(name: string, gone: AbortController): void {
    const { signal } = gone
    const free = async (): Promise<void> => {
      // What the tab said before may still be on its way.
      void this.#effects.sleep(ANY_MS, signal).then(() => gone.abort())
    }
    this.#effects.locks?.request(name, { signal }, free).catch(() => undefined)
  }
}

async function outcomeOf(done: Promise<boolean>): Promise<TabOutcome> {
  try {
    return { done: await done }
  } catch (thrown) {
    return { error: toErrorData(thrown) }
  }
}

function valueOf(outcome: TabOutcome): boolean | null {
  if ('error' in outcome) throw OffstageError.fromData(outcome.error)
  return 'done' in outcome ? outcome.done : null
}
