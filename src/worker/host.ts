import type {
  AgentScope,
  CallAnswer,
  ConversationScope,
  PageApi,
  ResumeRun,
  RunRef,
  StartRun,
  SupplyOutput,
  WorkerNotice,
} from '../protocol/api.ts'
import type { StoredConversation } from '../protocol/conversation.ts'
import { OffstageError, toErrorData } from '../protocol/error.ts'
import type { ConversationRecord } from '../protocol/journal.ts'
import type { RunResult } from '../protocol/run.ts'
import { pendingToolCalls } from '../providers/pending-tool-calls.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { Conversation } from './conversation.ts'
import type { ResumeOptions } from './drive.ts'
import type { Effects } from './effects.ts'
import { ModelMemory } from './model-memory.ts'
import { createOwnership, elsewhere, type Ownership } from './ownership.ts'
import { RunDriver } from './run-driver.ts'
import { RunEvents } from './run-events.ts'
import { runResult } from './run-result.ts'
import { isSettled, pendingCalls } from './state.ts'
import { storageKey, Stores, type OpenDurable } from './stores.ts'
import { lateOutputMessage, pendingOutput } from './supply-output.ts'
import { sharedValidator } from './validation/create-validator.ts'

export interface HostOptions {
  readonly page: PageApi
  readonly pageId: string
  readonly notify: (notice: WorkerNotice) => void
  readonly providers: ProviderRegistry
  readonly effects: Effects
  readonly openDurable: OpenDurable
}

/** A conversation in use: its fold, and the run that is driven, if any. */
interface Seat {
  readonly scope: ConversationScope
  readonly conversation: Conversation
  readonly ownership: Ownership
  driver: RunDriver | null
  driven: Promise<RunResult | null>
  /** Commands on one conversation are taken one after the other. */
  lane: Promise<unknown>
}

/** What the worker does for its page, apart from the wire: admits runs, finds and answers them. */
export class Host {
  readonly #options: HostOptions
  readonly #stores: Stores
  readonly #ownerships = new Map<string, Ownership>()
  readonly #seats = new Map<string, Seat>()
  readonly #memory = new ModelMemory()
  #batches = 0

  constructor(options: HostOptions) {
    this.#options = options
    this.#stores = new Stores(options.openDurable, options.notify)
  }

  async prepare(scope: AgentScope): Promise<void> {
    await this.#stores.open(scope.storage)
  }

  /** Never rejects: whatever refuses the run becomes its `failed` end. */
  async startRun(command: StartRun): Promise<void> {
    const events = this.#events(command)
    try {
      const seat = await this.#seat(command)
      await inLane(seat, async () => {
        await this.#makeRoom(seat, command)
        await this.#begin(seat, command, events)
      })
    } catch (error) {
      const end = { outcome: 'failed', error: toErrorData(error) } as const
      this.#tellEnd(events, runResult(command, [], end))
    }
  }

  async resumeRun(command: ResumeRun): Promise<RunRef | null> {
    const conversationId = command.conversationId ?? (await this.#newestUnfinished(command))
    if (conversationId === null) return null
    const seat = await this.#seat({ ...command, conversationId })
    if (seat.driver) return { conversationId, runId: seat.driver.runId }
    return inLane(seat, () => this.#resume(seat, command.agentId, command))
  }

  async abortRun(
    command: ConversationScope & { readonly runId: string; readonly reason: string },
  ): Promise<boolean> {
    const seat = await this.#seat(command)
    const driver = seat.driver
    if (driver && driver.runId === command.runId) {
      driver.abort(command.reason)
      await seat.driven
      return true
    }
    return inLane(seat, async () => {
      await seat.conversation.refresh()
      const run = seat.conversation.run
      if (run === null || run.end !== null || run.runId !== command.runId) return false
      await this.#resume(seat, command.agentId, TELL_MODEL)
      seat.driver?.abort(command.reason)
      await seat.driven
      return true
    })
  }

  async answerCall(command: CallAnswer): Promise<boolean> {
    const seat = await this.#seatOfCall(command)
    if (seat === null) return false
    if (seat.driver === null) {
      await inLane(seat, () => this.#resume(seat, command.agentId, TELL_MODEL))
    }
    return (await seat.driver?.answer(command.answer, command.toolCallId)) ?? false
  }

  async supplyOutput(command: SupplyOutput): Promise<RunRef | null> {
    const seat = await this.#seatOfCall(command)
    if (seat === null) return this.#keepLateOutput(command, null)
    return inLane(seat, async () => {
      await seat.conversation.refresh()
      const settled = pendingOutput(seat.conversation.run, command)
      if (settled === null) return this.#keepLateOutput(command, seat)
      await this.#own(seat)
      try {
        await seat.conversation.append([settled])
      } finally {
        seat.ownership.release(seat.conversation.conversationId)
      }
      const run = seat.conversation.run
      if (run === null || !run.calls.every(isSettled)) return null
      const { agentId, storage, nextRunId: runId } = command
      const { conversationId } = seat.conversation
      const next = { agentId, storage, conversationId, runId }
      await this.#begin(
        seat,
        { ...next, message: null, limits: run.limits, ifBusy: 'refuse' },
        this.#events(next),
      )
      return { conversationId, runId }
    })
  }

  toolsChanged(agentId: string): void {
    for (const seat of this.#seats.values()) {
      if (seat.driver?.agentId === agentId) seat.driver.toolsChanged()
    }
  }

  releaseAgent(agentId: string): void {
    for (const seat of this.#seats.values()) {
      if (seat.driver?.agentId === agentId) seat.driver.release()
    }
  }

  async list(scope: AgentScope & { readonly unfinished?: boolean }): Promise<ConversationRecord[]> {
    const records = await (await this.#stores.open(scope.storage)).list()
    return scope.unfinished ? records.filter((record) => record.openRunId !== null) : records
  }

  async get(scope: ConversationScope): Promise<StoredConversation | null> {
    const store = await this.#stores.open(scope.storage)
    const record = await store.get(scope.conversationId)
    if (record === null) return null
    const { conversation } = await this.#seat(scope)
    await conversation.refresh()
    const { run } = conversation
    return {
      ...record,
      messages: [...conversation.messages],
      pending: run === null ? [] : pendingCalls(run),
    }
  }

  async rename(scope: ConversationScope & { readonly title: string }): Promise<boolean> {
    return (await this.#stores.open(scope.storage)).rename(scope.conversationId, scope.title)
  }

  async delete(scope: ConversationScope): Promise<boolean> {
    const seat = await this.#seat(scope)
    seat.driver?.abort('conversation deleted')
    await seat.driven
    const deleted = (await this.#stores.open(scope.storage)).delete(scope.conversationId)
    this.#seats.delete(seatKey(scope))
    return deleted
  }

  async clearHistory(scope: ConversationScope): Promise<boolean> {
    const store = await this.#stores.open(scope.storage)
    if ((await store.get(scope.conversationId)) === null) return false
    const seat = await this.#seat(scope)
    return inLane(seat, async () => {
      if (seat.driver) throw busy(scope.conversationId)
      await this.#own(seat)
      try {
        const { run } = seat.conversation
        if (run !== null && run.end === null) throw busy(scope.conversationId)
        await seat.conversation.append([{ type: 'history-cleared' }], { runId: null })
        return true
      } finally {
        seat.ownership.release(scope.conversationId)
      }
    })
  }

  async #begin(seat: Seat, command: StartRun, events: RunEvents): Promise<void> {
    const { conversation } = seat
    await this.#own(seat)
    try {
      const { run } = conversation
      if (run !== null && run.end === null) throw busy(conversation.conversationId)
      const { runId, message, limits, history = [] } = command
      const imported = conversation.messages.length === 0 ? history : []
      const pending = [...(run === null ? [] : pendingCalls(run)), ...pendingToolCalls(imported)]
      if (message !== null && pending.length > 0) throw callsPending(pending)
      if (imported.length > 0) {
        await conversation.append([{ type: 'messages-imported', messages: imported }], {
          runId: null,
        })
      }
      await conversation.append([{ type: 'run-started', message, limits }], { runId })
      events.push({ type: 'run-start', message })
    } catch (error) {
      seat.ownership.release(conversation.conversationId)
      throw error
    }
    this.#start(seat, command, { events, resume: null })
  }

  async #resume(
    seat: Seat,
    agentId: string,
    resume: ResumeOptions & { readonly runId?: string },
  ): Promise<RunRef | null> {
    const { conversation } = seat
    const { conversationId } = conversation
    if (seat.driver) return { conversationId, runId: seat.driver.runId }
    await conversation.refresh()
    const newest = conversation.run
    if (newest === null) return null
    if (newest.end !== null) {
      if (newest.runId !== resume.runId) return null
      const ended = { agentId, conversationId, runId: newest.runId }
      this.#tellEnd(this.#events(ended), runResult(ended, conversation.runEntries, newest.end))
      return { conversationId, runId: newest.runId }
    }
    await this.#own(seat)
    const { run, runEntries } = conversation
    if (run === null || run.end !== null) {
      seat.ownership.release(conversationId)
      return null
    }
    const ref = { ...seat.scope, agentId, runId: run.runId }
    const events = this.#events(ref)
    const start = runEntries[0]
    const begun = start?.type === 'run-started' ? start.message : null
    const from = begun === null ? -1 : conversation.messages.indexOf(begun)
    events.push({
      type: 'run-snapshot',
      messages: from === -1 ? [] : conversation.messages.slice(from),
      pending: pendingCalls(run),
      step: run.steps,
      text: '',
    })
    this.#start(seat, ref, { events, resume })
    return { conversationId, runId: run.runId }
  }

  #start(
    seat: Seat,
    ref: { readonly agentId: string; readonly runId: string },
    how: { readonly events: RunEvents; readonly resume: ResumeOptions | null },
  ): void {
    const { page, pageId, providers, effects } = this.#options
    const driver = new RunDriver(
      {
        agentId: ref.agentId,
        runId: ref.runId,
        conversation: seat.conversation,
        page,
        pageId,
        providers,
        effects,
        validator: sharedValidator(),
        memory: this.#memory,
        ...how,
      },
      seat.ownership,
    )
    seat.driver = driver
    seat.driven = driver.drive().then((result) => {
      seat.driver = null
      // A run that stopped without an end left this fold behind the truth, perhaps.
      if (seat.conversation.run?.end === null) this.#seats.delete(seatKey(seat.scope))
      return result
    })
  }

  /** Refuses, waits or ends what runs, as the command wishes. */
  async #makeRoom(seat: Seat, command: StartRun): Promise<void> {
    switch (command.ifBusy) {
      case 'refuse':
        if (seat.driver) throw busy(command.conversationId)
        return
      case 'queue':
        while (seat.driver) await seat.driven
        return
      case 'replace': {
        await this.#resume(seat, command.agentId, TELL_MODEL)
        seat.driver?.abort('replaced')
        await seat.driven
        return
      }
      default:
        command.ifBusy satisfies never
    }
  }

  async #own(seat: Seat): Promise<void> {
    const { conversation, ownership } = seat
    if (!(await ownership.acquire(conversation.conversationId))) {
      throw elsewhere(conversation.conversationId)
    }
    await conversation.claim()
  }

  async #seat(scope: ConversationScope): Promise<Seat> {
    const key = seatKey(scope)
    const store = await this.#stores.open(scope.storage)
    const known = this.#seats.get(key)
    if (known) return known
    const { agentId, storage, conversationId } = scope
    const seat: Seat = {
      scope: { agentId, storage, conversationId },
      conversation: new Conversation(conversationId, store, this.#options.effects),
      ownership: this.#ownership(storageKey(storage)),
      driver: null,
      driven: Promise.resolve(null),
      lane: Promise.resolve(),
    }
    this.#seats.set(key, seat)
    return seat
  }

  #ownership(scope: string): Ownership {
    const known = this.#ownerships.get(scope)
    if (known) return known
    const made = createOwnership(scope)
    this.#ownerships.set(scope, made)
    return made
  }

  async #newestUnfinished(scope: AgentScope): Promise<string | null> {
    const [newest] = await this.list({ ...scope, unfinished: true })
    return newest?.conversationId ?? null
  }

  /** The conversation that a call belongs to: the one named, or the newest that has it open. */
  async #seatOfCall(call: CallAnswer | SupplyOutput): Promise<Seat | null> {
    const { agentId, storage, conversationId, toolCallId } = call
    const store = await this.#stores.open(storage)
    if (conversationId !== undefined) {
      const exists = (await store.get(conversationId)) !== null
      return exists ? this.#seat({ agentId, storage, conversationId }) : null
    }
    for (const record of await store.list()) {
      const seat = await this.#seat({ agentId, storage, conversationId: record.conversationId })
      await seat.conversation.refresh()
      const open = seat.conversation.run?.calls.find((each) => each.toolCallId === toolCallId)
      if (open && !isSettled(open)) return seat
    }
    return null
  }

  /** An output nobody waits for is kept as a message, so that the model sees it at its next turn. */
  async #keepLateOutput(command: SupplyOutput, seat: Seat | null): Promise<null> {
    this.#options.notify({
      type: 'warning',
      code: 'no-pending-call',
      message: `No call ${command.toolCallId} waits for an output; it was kept as a user message.`,
    })
    const { conversationId } = command
    if (seat === null && conversationId === undefined) return null
    const at = seat ?? (await this.#seat({ ...command, conversationId: conversationId ?? '' }))
    await this.#own(at)
    try {
      await at.conversation.append(
        [{ type: 'messages-imported', messages: [lateOutputMessage(command)] }],
        { runId: null },
      )
    } finally {
      if (at.driver === null) at.ownership.release(at.conversation.conversationId)
    }
    return null
  }

  #tellEnd(events: RunEvents, result: RunResult): void {
    events.push({ type: 'run-end', result })
    events.flush()
  }

  #events(ref: {
    readonly agentId: string
    readonly runId: string
    readonly conversationId: string
  }): RunEvents {
    const { agentId, runId, conversationId } = ref
    return new RunEvents(
      { agentId, runId, conversationId },
      {
        post: (batch) => this.#options.notify({ type: 'events', ...batch }),
        nextBatch: () => ++this.#batches,
      },
    )
  }
}

const TELL_MODEL: ResumeOptions = { interrupted: 'tell-model', waitForToolsMs: 10_000 }

function seatKey(scope: ConversationScope): string {
  return `${storageKey(scope.storage)}\n${scope.conversationId}`
}

function inLane<T>(seat: Seat, work: () => Promise<T>): Promise<T> {
  const done = seat.lane.then(work)
  seat.lane = done.catch(() => undefined)
  return done
}

function busy(conversationId: string): OffstageError {
  return new OffstageError(
    'conversation-busy',
    `Conversation ${conversationId} has an open run. Await or abort it, resume it, or pass ifBusy: 'queue' or 'replace'.`,
  )
}

function callsPending(
  pending: readonly { readonly toolCallId: string; readonly toolName: string }[],
): OffstageError {
  const names = pending.map((call) => `${call.toolName} (${call.toolCallId})`).join(', ')
  return new OffstageError(
    'calls-pending',
    `These calls wait for their outputs: ${names}. Supply them with supplyOutput() before the next turn.`,
  )
}
