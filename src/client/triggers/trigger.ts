import { storageKey } from '../../protocol/conversation.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { UserContent } from '../../protocol/fact.ts'
import type { RunLimits, RunResult } from '../../protocol/run.ts'
import { randomId } from '../../lib/random-id.ts'
import { sleep } from '../../lib/sleep.ts'
import type { AgentParts } from '../api/agent-parts.ts'
import { checkMessageParts } from '../runs/check-message.ts'
import { badConfig, disposedError, toOffstageError } from '../api/failures.ts'
import type { Run } from '../runs/run.ts'
import type { Trigger, TriggerOptions, TriggerOutcome, TriggerSource } from './options.ts'
import type { AgentCommands } from '../api/agent-commands.ts'

const MINUTE_MS = 60_000
const HOUR_MS: number = 60 * MINUTE_MS

/** Most firings that are stored. Older ones are dropped, unless the hourly limit counts them. */
const MOST_FIRINGS = 500

/** A firing of a trigger. */
interface Firing {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Identifies the event or time. */
  readonly key: string | undefined
  readonly messageId: string
  readonly conversationId: string
  /** `open`: it isn't known yet whether the message was stored. `empty`: `run` returned no message. */
  readonly state: 'open' | 'started' | 'empty'
}

/** Stored state of a trigger, for all tabs. */
interface TriggerRecord {
  /** Start of the first interval. Not used once the trigger has fired. Milliseconds since 1970. */
  readonly since: number
  readonly firings: readonly Firing[]
  readonly isDisabled?: boolean
}

/** Reads a record. Times in the future, left by a clock that was set back, become the current time. */
function readRecord(
  { firings, since, ...rest }: TriggerRecord = { since: Infinity, firings: [] },
): TriggerRecord {
  const now = Date.now()
  const past = firings.map((firing) => ({ ...firing, at: Math.min(firing.at, now) }))
  const retained = past.filter(
    (firing, index) => index >= past.length - MOST_FIRINGS || isCounted(firing, now),
  )
  return { ...rest, since: Math.min(since, now), firings: retained }
}

/** Whether the hourly limit counts the firing. */
function isCounted({ state, at }: Firing, now: number): boolean {
  return state !== 'empty' && at > now - HOUR_MS
}

/** Returns the time when the current interval is over. */
function dueAt({ since, firings }: TriggerRecord, every: number): number {
  return Math.max(since, firings.at(-1)?.at ?? 0) + every
}

/**
 * Returns the reason why a trigger must not fire now: it is disabled, has fired (perhaps in another tab), or the limit
 * is reached.
 */
function refusal(
  record: TriggerRecord,
  { at, key }: Firing,
  { every, perHour }: { readonly every?: number | undefined; readonly perHour: number },
): 'taken' | 'over-limit' | undefined {
  const { firings, isDisabled } = record
  const isTaken = key !== undefined && firings.some((firing) => firing.key === key)
  if (isDisabled || isTaken || (every && at < dueAt(record, every))) return 'taken'
  const recent = firings.filter((each) => isCounted(each, at))
  return recent.length < perHour ? undefined : 'over-limit'
}

/** Stores the outcome of a firing. Null removes the firing, as if it had not happened. */
function settle(
  record: TriggerRecord,
  messageId: string,
  state: Firing['state'] | null,
): TriggerRecord {
  const firings = record.firings.flatMap((firing) => {
    if (firing.messageId !== messageId) return firing
    return state ? { ...firing, state } : []
  })
  return { ...record, firings }
}

/** Default of `perHour`. */
const PER_HOUR = 12

const OPTION_NAMES: readonly string[] = [
  'id',
  'title',
  'on',
  'every',
  'at',
  'run',
  'eventId',
  'conversationId',
  'untrustedContent',
  'perHour',
  'missed',
  'whileHidden',
] satisfies (keyof TriggerOptions)[]

/** Options whose values are unchecked. */
type UncheckedOptions = { readonly [Name in keyof TriggerOptions]: unknown }

/** Throws `invalid-config`. */
function checkTrigger(options: UncheckedOptions): void {
  const checkOption = (name: string, isValid: boolean, kind: string): void => {
    if (!isValid) throw badConfig(`${name} of a trigger must be ${kind}.`)
  }
  for (const name of Object.keys(options))
    checkOption(name, OPTION_NAMES.includes(name), `one of ${OPTION_NAMES.join()}`)
  const { id, title = id, on, every, at, run, perHour = PER_HOUR, missed = 'run' } = options
  const isLine = (text: unknown): boolean => /^.{1,200}$/.test(String(text))
  checkOption('id', typeof id === 'string' && isLine(id), 'a line of text')
  checkOption('title', isLine(title), 'a line of text')
  checkOption('run', !!run && ['string', 'function'].includes(typeof run), 'a text or a function')
  const limit = Number(perHour)
  checkOption('perHour', limit >= 1 && limit <= MOST_FIRINGS, `from 1 to ${MOST_FIRINGS}`)
  checkOption('missed', missed === 'run' || missed === 'skip', "'run' or 'skip'")
  checkOption('at', at === undefined || !Number.isNaN(Number(at)), 'a time')
  const minEveryMs = Math.max(MINUTE_MS, Math.ceil(HOUR_MS / limit))
  checkOption(
    'every',
    every === undefined || Number(every) >= minEveryMs,
    `${minEveryMs} ms or more, by its perHour`,
  )
  const sources = [on, every, at].filter((source) => source !== undefined)
  checkOption('The source', sources.length === 1, 'one of on, every and at')
}

/** Most attempts at one delivery, if runs keep beginning and ending between them. */
const MOST_ATTEMPTS = 5

/** Commands to the worker that triggers need. */
interface TriggerCommands extends Pick<AgentCommands, 'rows' | 'steer' | 'withdraw'> {
  /** Limits of the triggers' runs. */
  readonly limits: RunLimits
}

interface Delivery {
  readonly conversationId: string
  readonly message: UserContent
}

/** Begins a run with the message, or queues it for the run after the open one. Resolves once the message is stored. */
async function deliver(
  { runs }: Pick<AgentParts, 'runs'>,
  { limits, steer }: TriggerCommands,
  { conversationId, message }: Delivery,
): Promise<'started' | 'queued'> {
  for (let attempt = 1; ; attempt++) {
    const queued = await steer(conversationId, { message, when: 'after-run' })
    if (queued !== null) return 'queued'
    const ref = { runId: randomId(), conversationId }
    const { run } = runs.start({ ...ref, message, limits, ifBusy: 'refuse' })
    if (await hasBegun(run)) return 'started'
    const result = await run.result
    const error = OffstageError.fromData(
      result.outcome === 'failed'
        ? result.error
        : { code: 'aborted', message: 'The run was stopped before it began.', retryable: false },
    )
    if (error.code !== 'conversation-busy' || attempt === MOST_ATTEMPTS) throw error
  }
}

async function hasBegun(run: Run): Promise<boolean> {
  for await (const { type } of run) if (type === 'run-start' || type === 'run-snapshot') return true
  return false
}

/** Whether the message of a firing is in its conversation. */
async function isStored(
  { rows }: TriggerCommands,
  { conversationId, messageId }: Firing,
): Promise<boolean> {
  for (let after = 0; ;) {
    const part = await rows(conversationId, { after })
    const last = part?.rows.at(-1)
    if (!part || !last) return false
    if (part.rows.some((row) => 'message' in row && idOf(row.message) === messageId)) return true
    if (!part.hasMore) return false
    after = last.seq
  }
}

function idOf(message: unknown): unknown {
  return (message as { readonly id?: unknown } | null)?.id
}

/** Records of pages without IndexedDB. */
const memoryRecords = new Map<string, TriggerRecord>()

/** Reads, changes and stores a record in one transaction, so that tabs can't overwrite each other's changes. */
function updateRecord(
  key: string,
  change: (record: TriggerRecord | undefined) => TriggerRecord,
): Promise<TriggerRecord> {
  return new Promise((resolve, reject) => {
    let record: TriggerRecord
    if (!globalThis.indexedDB) {
      record = change(memoryRecords.get(key))
      memoryRecords.set(key, record)
      return resolve(record)
    }
    const opening = indexedDB.open('offstage-triggers', 1)
    const fail = ({ target }: Event): void => {
      const message = 'The browser can not store when a trigger fired.'
      const { error: cause } = target as IDBTransaction
      reject(new OffstageError('storage-failed', message, { retryable: true, cause }))
    }
    opening.onerror = fail
    opening.onupgradeneeded = () => opening.result.createObjectStore('triggers')
    opening.onsuccess = () => {
      const transaction = opening.result.transaction('triggers', 'readwrite')
      const store = transaction.objectStore('triggers')
      const reading = store.get(key)
      reading.onsuccess = () => store.put((record = change(reading.result)), key)
      transaction.onabort = fail
      transaction.oncomplete = () => {
        opening.result.close()
        resolve(record)
      }
    }
  })
}

type OutcomeReport = TriggerOutcome extends infer Each
  ? Each extends TriggerOutcome
    ? Omit<Each, 'id' | 'conversationId'>
    : never
  : never

/** Options without the type of the source's events, which only the app knows. */
export type AnyTriggerOptions = Omit<TriggerOptions, 'on' | 'run' | 'eventId'> & {
  readonly on?: TriggerSource
  readonly run: string | ((event: unknown) => unknown)
  readonly eventId?: (event: unknown) => string | undefined
}

/** Triggers of each agent, by id. */
const triggers = new WeakMap<AbortSignal, Map<string, ActiveTrigger>>()

/**
 * Adds a trigger. Throws `disposed`, or `invalid-config` (also for an id in use). Without options, lists the triggers.
 */
export async function trigger(
  agent: AgentParts,
  commands: TriggerCommands,
  unchecked?: object,
): Promise<Trigger | readonly Trigger[]> {
  if (agent.signal.aborted) throw disposedError()
  const agentTriggers = triggers.get(agent.signal) ?? new Map<string, ActiveTrigger>()
  triggers.set(agent.signal, agentTriggers)
  if (!unchecked) return Promise.all(Array.from(agentTriggers.values(), (each) => each.describe()))
  const options = unchecked as AnyTriggerOptions
  checkTrigger(options)
  const { id } = options
  if (agentTriggers.has(id)) throw badConfig(`The agent has a trigger ${id}. Remove it first.`)
  const added = new ActiveTrigger(agent, commands, options)
  agentTriggers.set(id, added)
  added.signal.addEventListener('abort', () => agentTriggers.delete(id))
  try {
    return await added.start()
  } catch (error) {
    added.remove()
    throw error
  }
}

/** A trigger on this page. Several pages may have the same trigger: its stored record decides which page fires. */
class ActiveTrigger {
  readonly signal: AbortSignal
  readonly #agent: AgentParts
  readonly #commands: TriggerCommands
  readonly #options: AnyTriggerOptions
  readonly #key: string
  readonly #title: string
  readonly #conversationId: string
  readonly #controller = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isTicking = false

  constructor(agent: AgentParts, commands: TriggerCommands, options: AnyTriggerOptions) {
    const { id, title = id, conversationId = `trigger-${id}` } = options
    this.#agent = agent
    this.#commands = commands
    this.#options = options
    this.#title = title
    this.#conversationId = conversationId
    this.#key = `${storageKey(agent.scope().storage)}/${id}`
    this.signal = this.#controller.signal
    agent.signal.addEventListener('abort', this.remove, { signal: this.signal })
  }

  async start(): Promise<Trigger> {
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
    return this.describe()
  }

  readonly remove = (): void => {
    clearTimeout(this.#timer)
    this.#controller.abort()
  }

  async describe(): Promise<Trigger> {
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
   * Returns the time when the trigger is due. Undefined if it won't fire again. Ignores `open` firings, which may have
   * to be repeated.
   */
  #dueAt({ firings, ...record }: TriggerRecord): number | undefined {
    const { at, every } = this.#options
    const done = firings.filter(({ state }) => state !== 'open')
    if (every !== undefined) return dueAt({ ...record, firings: done }, every)
    return at === undefined || done.some(({ key }) => key === keyOf(at)) ? undefined : Number(at)
  }

  /**
   * Fires if the trigger is due. Checks again within a minute, because a clock may be changed or the computer may
   * sleep.
   */
  readonly #tick = async (): Promise<void> => {
    if (this.#isTicking) return
    this.#isTicking = true
    clearTimeout(this.#timer)
    let dueTime: number | undefined = Infinity
    try {
      dueTime = await this.#readDueTime()
      if (dueTime !== undefined && dueTime <= Date.now() && !this.#isHidden()) {
        await this.#fire(undefined)
        dueTime = await this.#readDueTime()
      }
    } catch (error) {
      this.#report(error)
    }
    this.#isTicking = false
    if (this.signal.aborted || dueTime === undefined) return
    const waitMs = dueTime - Date.now()
    this.#timer = setTimeout(
      () => void this.#tick(),
      waitMs > 0 ? Math.min(waitMs, MINUTE_MS) : MINUTE_MS,
    )
  }

  async #readDueTime(): Promise<number | undefined> {
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
        // A run that was aborted, or that waits for outputs, doesn't count as an event.
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
      await this.#fireLocked(event)
    } catch (error) {
      this.#report(error)
    }
  }

  /**
   * Fires under a lock, so that one page at a time does. If a page dies, its lock is released, and the next page
   * settles its `open` firings.
   */
  async #fireLocked(event: unknown): Promise<void> {
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
    let previous: Firing | undefined
    let refused: ReturnType<typeof refusal>
    await this.#update((record) => {
      const firing: Firing = { at: Date.now(), key, messageId, conversationId, state: 'open' }
      previous = record.firings.findLast((each) => each.state !== 'empty')
      refused = refusal(record, firing, { every, perHour })
      return refused ? record : { ...record, firings: [...record.firings, firing] }
    })
    if (refused === 'over-limit') this.#emit({ outcome: refused })
    if (refused) return
    let state: Firing['state'] | null = 'empty'
    try {
      const input = await this.#readInput(event)
      if (this.signal.aborted) return void (state = null)
      if (input === null || input === undefined || input === '') return
      const message = this.#messageOf(messageId, checkMessageParts(input))
      state = 'open'
      const outcome = await deliver(this.#agent, this.#commands, { conversationId, message })
      state = 'started'
      this.#emit({ outcome })
      if (outcome === 'queued') await this.#withdrawPrevious(previous)
    } catch (error) {
      // If the trigger was removed (the page may be closing), the firing stays `open`: the next page checks whether the
      // message was stored.
      if (state === 'open' && !this.signal.aborted) state = 'started'
      throw error
    } finally {
      await this.#update((record) => settle(record, messageId, state))
    }
  }

  /** Withdraws the previous message from the queue if the new one replaces it. */
  async #withdrawPrevious(previous: Firing | undefined): Promise<void> {
    const { every, run } = this.#options
    if (previous && (every !== undefined || typeof run === 'string'))
      await this.#commands.withdraw(previous.conversationId, previous.messageId).catch(() => false)
  }

  #keyOf(event: unknown): string | undefined {
    const { at, eventId, on } = this.#options
    if (eventId) return eventId(event)
    if (at !== undefined) return keyOf(at)
    return on && 'on' in on ? (event as RunResult).runId : undefined
  }

  async #readInput(event: unknown): Promise<unknown> {
    const { id, run } = this.#options
    if (typeof run === 'string') return run
    const timeout = sleep(MINUTE_MS).then(() => {
      throw new Error('It took longer than a minute.')
    })
    try {
      return await Promise.race([run(event), timeout])
    } catch (cause) {
      const message = `run of the trigger ${id} failed: ${describeThrown(cause)}`
      throw new OffstageError('call-failed', message, { cause })
    }
  }

  #messageOf(id: string, parts: UserContent['parts']): UserContent {
    const { run, untrustedContent = typeof run === 'function' } = this.#options
    const trigger = this.#title
    // The chat hides this last part, and shows a translated label in its place.
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

  #emit(outcome: OutcomeReport): void {
    const { id } = this.#options
    const event = { type: 'trigger', id, conversationId: this.#conversationId, ...outcome } as const
    this.#agent.agentEvents.emit(event)
  }
}

function keyOf(at: number | Date): string {
  return `at ${Number(at)}`
}
