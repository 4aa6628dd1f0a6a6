import { storageKey } from '../../protocol/conversation.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { UserContent } from '../../protocol/fact.ts'
import type { RunResult } from '../../protocol/run.ts'
import { randomId } from '../../lib/random-id.ts'
import { sleep } from '../../lib/sleep.ts'
import type { AgentParts } from '../agent-parts.ts'
import { checkInput } from '../check-input.ts'
import { badConfig, toOffstageError } from '../failures.ts'
import type { Run } from '../run.ts'
import { checkTrigger, PER_HOUR } from './check-trigger.ts'
import { deliver, isStored, type TriggerCommands } from './deliver.ts'
import type { Trigger, TriggerOptions, TriggerOutcome, TriggerSource } from './options.ts'
import {
  dueAt,
  type Firing,
  MINUTE_MS,
  readRecord,
  refusal,
  settle,
  type TriggerRecord,
} from './record.ts'
import { updateRecord } from './trigger-store.ts'

type Came = TriggerOutcome extends infer Each
  ? Each extends TriggerOutcome
    ? Omit<Each, 'id' | 'conversationId'>
    : never
  : never

/** Options with any source: only the app knows the type of its events. */
export type Options = Omit<TriggerOptions, 'on' | 'run' | 'eventId'> & {
  readonly on?: TriggerSource
  readonly run: string | ((event: unknown) => unknown)
  readonly eventId?: (event: unknown) => string | undefined
}

/** Triggers of each agent, by id. */
const triggers = new WeakMap<AbortSignal, Map<string, ActiveTrigger>>()

/** Adds a trigger. Throws `invalid-config`, also for an id that the agent has. Without options, lists the triggers. */
export async function trigger(
  agent: AgentParts,
  commands: TriggerCommands,
  given?: object,
): Promise<Trigger | readonly Trigger[]> {
  const known = triggers.get(agent.signal) ?? new Map<string, ActiveTrigger>()
  triggers.set(agent.signal, known)
  if (!given) return Promise.all(Array.from(known.values(), (each) => each.shown()))
  const options = given as Options
  checkTrigger(options)
  const { id } = options
  if (known.has(id)) throw badConfig(`The agent has a trigger ${id}. Remove it first.`)
  const added = new ActiveTrigger(agent, commands, options)
  known.set(id, added)
  added.signal.addEventListener('abort', () => known.delete(id))
  try {
    return await added.begin()
  } catch (error) {
    added.remove()
    throw error
  }
}

/** A trigger on this page. Several pages may have the same one: its stored record decides who fires. */
class ActiveTrigger {
  readonly signal: AbortSignal
  readonly #agent: AgentParts
  readonly #commands: TriggerCommands
  readonly #options: Options
  readonly #key: string
  readonly #title: string
  readonly #conversationId: string
  readonly #end = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isTicking = false

  constructor(agent: AgentParts, commands: TriggerCommands, options: Options) {
    const { id, title = id, conversationId = `trigger-${id}` } = options
    this.#agent = agent
    this.#commands = commands
    this.#options = options
    this.#title = title
    this.#conversationId = conversationId
    this.#key = `${storageKey(agent.scope().storage)}/${id}`
    this.signal = this.#end.signal
    agent.signal.addEventListener('abort', this.remove, { signal: this.signal })
  }

  async begin(): Promise<Trigger> {
    const { every, at, on, missed, whileHidden } = this.#options
    const { signal } = this
    if (every !== undefined && missed === 'skip')
      await this.#update((record) =>
        dueAt(record, every) <= Date.now() ? { ...record, since: Date.now() } : record,
      )
    if (on) this.#listen(on)
    else if (missed !== 'skip' || at === undefined || Number(at) > Date.now()) {
      if (whileHidden === false)
        globalThis.document?.addEventListener('visibilitychange', () => void this.#tick(), {
          signal,
        })
      void this.#tick()
    }
    return this.shown()
  }

  readonly remove = (): void => {
    clearTimeout(this.#timer)
    this.#end.abort()
  }

  async shown(): Promise<Trigger> {
    const record = await this.#update()
    const lastAt = record.firings.at(-1)?.at
    const nextAt = this.#dueAt(record)
    return {
      id: this.#options.id,
      title: this.#title,
      conversationId: this.#conversationId,
      ...(lastAt !== undefined && { lastAt }),
      ...(nextAt !== undefined && { nextAt }),
      isEnabled: !record.isDisabled,
      setEnabled: async (isEnabled) => {
        await this.#update((stored) => ({ ...stored, isDisabled: !isEnabled }))
      },
      remove: this.remove,
    }
  }

  /**
   * Returns when the trigger is due. Undefined: never. Unfinished firings don't count, as they may have to be repeated.
   */
  #dueAt({ firings, ...record }: TriggerRecord): number | undefined {
    const { at, every } = this.#options
    const done = firings.filter(({ state }) => state !== 'open')
    if (every !== undefined) return dueAt({ ...record, firings: done }, every)
    return at === undefined || done.some(({ key }) => key === keyOf(at)) ? undefined : Number(at)
  }

  /** Fires if the trigger is due, and checks again within a minute: clocks are changed, and computers sleep. */
  readonly #tick = async (): Promise<void> => {
    if (this.#isTicking) return
    this.#isTicking = true
    clearTimeout(this.#timer)
    let due: number | undefined = Infinity
    try {
      due = await this.#due()
      if (due !== undefined && due <= Date.now() && !this.#isHidden()) {
        await this.#fire(undefined)
        due = await this.#due()
      }
    } catch (error) {
      this.#report(error)
    }
    this.#isTicking = false
    if (this.signal.aborted || due === undefined) return
    const wait = due - Date.now()
    this.#timer = setTimeout(
      () => void this.#tick(),
      wait > 0 ? Math.min(wait, MINUTE_MS) : MINUTE_MS,
    )
  }

  async #due(): Promise<number | undefined> {
    const record = await this.#update()
    return record.isDisabled ? Infinity : this.#dueAt(record)
  }

  #listen(on: TriggerSource): void {
    const { signal } = this
    const fire = (event: unknown): void => {
      if (!signal.aborted && !this.#isHidden()) void this.#fire(event)
    }
    if (typeof on === 'function') signal.addEventListener('abort', on(fire))
    else if ('on' in on) {
      const listener = async ({ run }: { readonly run: Run }): Promise<void> => {
        const result = await run.result
        // A run that was stopped, or that continues elsewhere, doesn't count as an event.
        if (result.outcome !== 'aborted' && result.outcome !== 'waiting') fire(result)
      }
      on.on('run', (event) => void listener(event), { signal })
    } else on[0].addEventListener(on[1], fire, { signal })
  }

  #isHidden(): boolean {
    return this.#options.whileHidden === false && globalThis.document?.hidden === true
  }

  async #fire(event: unknown): Promise<void> {
    try {
      await this.#locked(event)
    } catch (error) {
      this.#report(error)
    }
  }

  /**
   * Fires under a lock, one page at a time. If a page dies, its lock is released and the next page finishes its
   * firings.
   */
  async #locked(event: unknown): Promise<void> {
    const { locks } = globalThis.navigator ?? {}
    if (!locks) return this.#fireOnce(event)
    await locks.request(`offstage-trigger:${this.#key}`, { signal: this.signal }, async () => {
      for (const firing of (await this.#update()).firings) {
        if (firing.state !== 'open') continue
        const state = (await isStored(this.#commands, firing)) ? 'started' : null
        await this.#update((record) => settle(record, firing.messageId, state))
      }
      await this.#fireOnce(event)
    })
  }

  async #fireOnce(event: unknown): Promise<void> {
    const { every, perHour = PER_HOUR } = this.#options
    const conversationId = this.#conversationId
    const messageId = randomId()
    const key = this.#keyOf(event)
    let before: Firing | undefined
    let refused: ReturnType<typeof refusal>
    await this.#update((record) => {
      const firing: Firing = { at: Date.now(), key, messageId, conversationId, state: 'open' }
      before = record.firings.at(-1)
      refused = refusal(record, firing, { every, perHour })
      return refused ? record : { ...record, firings: [...record.firings, firing] }
    })
    if (refused === 'over-limit') this.#emit({ outcome: refused })
    if (refused) return
    let state: Firing['state'] | null = 'empty'
    try {
      const input = await this.#input(event)
      if (this.signal.aborted) return void (state = null)
      if (input === null || input === undefined || input === '') return
      const message = this.#messageOf(messageId, checkInput(input))
      state = 'open'
      const outcome = await deliver(this.#agent, this.#commands, { conversationId, message })
      state = 'started'
      this.#emit({ outcome })
      if (outcome === 'queued') await this.#replace(before)
    } catch (error) {
      // If this page is being left, the next one finds out whether the message was stored.
      if (state === 'open' && !this.signal.aborted) state = 'started'
      throw error
    } finally {
      await this.#update((record) => settle(record, messageId, state))
    }
  }

  /** Withdraws the previous message from the queue if the new one says the same. */
  async #replace(before: Firing | undefined): Promise<void> {
    const { every, run } = this.#options
    if (before && (every !== undefined || typeof run === 'string'))
      await this.#commands.withdraw(before.conversationId, before.messageId).catch(() => false)
  }

  #keyOf(event: unknown): string | undefined {
    const { at, eventId, on } = this.#options
    if (eventId) return eventId(event)
    if (at !== undefined) return keyOf(at)
    return on && 'on' in on ? (event as RunResult).runId : undefined
  }

  async #input(event: unknown): Promise<unknown> {
    const { id, run } = this.#options
    if (typeof run === 'string') return run
    const late = sleep(MINUTE_MS).then(() => {
      throw new Error('It took longer than a minute.')
    })
    try {
      return await Promise.race([run(event), late])
    } catch (cause) {
      const message = `run of the trigger ${id} failed: ${describeThrown(cause)}`
      throw new OffstageError('call-failed', message, { cause })
    }
  }

  #messageOf(id: string, parts: UserContent['parts']): UserContent {
    const { run, untrustedContent = typeof run === 'function' } = this.#options
    const trigger = this.#title
    // The chat leaves out the last part, and shows its meaning in the person's language.
    const text = `[${trigger}: sent by the app, not by the person]`
    return {
      id,
      parts: [...parts, { type: 'text', text }],
      trigger,
      ...(untrustedContent && { untrusted: true }),
    }
  }

  async #update(change = (record: TriggerRecord): TriggerRecord => record): Promise<TriggerRecord> {
    return updateRecord(this.#key, (stored) => change(readRecord(stored)))
  }

  #report(error: unknown): void {
    if (!this.signal.aborted)
      this.#emit({ outcome: 'failed', error: toOffstageError(error).toData() })
  }

  #emit(outcome: Came): void {
    const { id } = this.#options
    const event = { type: 'trigger', id, conversationId: this.#conversationId, ...outcome } as const
    this.#agent.agentEvents.emit(event)
  }
}

function keyOf(at: number | Date): string {
  return `at ${Number(at)}`
}
