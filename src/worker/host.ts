import type {
  AgentScope,
  CallAnswer,
  ConversationScope,
  Extract,
  Extraction,
  PageApi,
  Preparation,
  ResumeRun,
  RunRef,
  StartRun,
  SupplyOutput,
  WorkerNotice,
} from '../protocol/api.ts'
import { OffstageError, toErrorData } from '../protocol/error.ts'
import type { Message } from '../protocol/message.ts'
import type { RunResult } from '../protocol/run.ts'
import { importHistory } from '../providers/history/import-history.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { busy, callsPending } from './busy.ts'
import type { ResumeOptions } from './drive.ts'
import type { Effects } from './effects.ts'
import { Engines } from './engines.ts'
import { extractData } from './extract.ts'
import { Library } from './library.ts'
import { ModelMemory } from './model-memory.ts'
import { RunDriver } from './run-driver.ts'
import { RunEvents } from './run-events.ts'
import { runResult } from './run-result.ts'
import { runSnapshot } from './run-snapshot.ts'
import type { Seat } from './seat.ts'
import { Seats } from './seats.ts'
import { isSettled, pendingCalls } from './state.ts'
import { Stores, type OpenDurable } from './stores.ts'
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

/** What the worker does for its page, apart from the wire: admits runs, finds and answers them. */
export class Host {
  readonly library: Library
  readonly #options: HostOptions
  readonly #seats: Seats
  readonly #memory = new ModelMemory()
  readonly #engines: Engines
  #batches = 0

  constructor(options: HostOptions) {
    this.#options = options
    const stores = new Stores(options.openDurable, options.notify)
    this.#seats = new Seats(stores, options.effects)
    this.library = new Library(this.#seats)
    const openEngine: PageApi['openEngine'] = (opening) => options.page.openEngine(opening)
    this.#engines = new Engines({ openEngine, notify: options.notify })
  }

  async prepare({ model, engine, ...scope }: Preparation): Promise<void> {
    await Promise.all([
      this.#seats.store(scope),
      engine ? this.#engines.prepare(scope.agentId, model) : undefined,
    ])
  }

  stopPreparing(agentId: string): void {
    this.#engines.stopPreparing(agentId)
  }

  extract(command: Extract): Promise<Extraction> {
    const { page, providers, effects } = this.#options
    const own = { memory: this.#memory, engines: this.#engines }
    return extractData({ page, providers, effects, ...own }, command)
  }

  /** Never rejects: whatever refuses the run becomes its `failed` end. */
  async startRun(command: StartRun): Promise<void> {
    const events = this.#events(command)
    try {
      const history = importHistory(command.history ?? [])
      const seat = await this.#seats.take(command)
      await seat.inLane(async () => {
        await this.#makeRoom(seat, command)
        await this.#begin(seat, { ...command, history }, events)
      })
    } catch (error) {
      const end = { outcome: 'failed', error: toErrorData(error) } as const
      tellEnd(events, runResult(command, [], end))
    }
  }

  async resumeRun(command: ResumeRun): Promise<RunRef | null> {
    const conversationId = command.conversationId ?? (await this.#newestUnfinished(command))
    if (conversationId === null) return null
    const seat = await this.#seats.take({ ...command, conversationId })
    if (seat.driver) return { conversationId, runId: seat.driver.runId }
    try {
      return await seat.inLane(() => this.#resume(seat, command.agentId, command))
    } catch (error) {
      if (!OffstageError.is(error) || error.code !== 'conversation-busy') throw error
      const { message } = error
      this.#options.notify({ type: 'warning', code: 'owned-elsewhere', message })
      return null
    }
  }

  async abortRun(
    command: ConversationScope & { readonly runId: string; readonly reason: string },
  ): Promise<boolean> {
    const seat = await this.#seats.take(command)
    if (seat.driver?.runId === command.runId) {
      await seat.abort(command.reason)
      return true
    }
    return seat.inLane(async () => {
      await seat.conversation.refresh()
      const { run } = seat.conversation
      if (run === null || run.end !== null || run.runId !== command.runId) return false
      await this.#resume(seat, command.agentId, TELL_MODEL)
      await seat.abort(command.reason)
      return true
    })
  }

  async answerCall(command: CallAnswer): Promise<boolean> {
    const seat = await this.#seats.ofCall(command)
    if (seat === null) return false
    if (seat.driver === null) {
      await seat.inLane(() => this.#resume(seat, command.agentId, TELL_MODEL))
    }
    return (await seat.driver?.answer(command.answer, command.toolCallId)) ?? false
  }

  async supplyOutput(command: SupplyOutput): Promise<RunRef | null> {
    const seat = await this.#seats.ofCall(command)
    if (seat === null) return this.#keepLateOutput(command)
    return seat.inLane(async () => {
      await seat.conversation.refresh()
      const supplied = pendingOutput(seat.conversation, command)
      if (supplied === null) return this.#keepLateOutput(command)
      const { entry, runId: ofRun } = supplied
      await seat.owning(() => seat.conversation.append([entry], { runId: ofRun }))
      const { run, importedCalls } = seat.conversation
      if (importedCalls.length > 0 || run?.calls.every(isSettled) === false) return null
      const { agentId, storage, nextRunId: runId } = command
      const { conversationId } = seat.scope
      const limits = ofRun === null || run === null ? command.limits : run.limits
      const next = { agentId, storage, conversationId, runId, message: null, limits }
      await this.#begin(seat, { ...next, ifBusy: 'refuse' }, this.#events(next))
      return { conversationId, runId }
    })
  }

  toolsChanged(agentId: string): void {
    for (const seat of this.#seats.drivenBy(agentId)) seat.driver?.toolsChanged()
  }

  releaseAgent(agentId: string): void {
    for (const seat of this.#seats.drivenBy(agentId)) seat.driver?.release()
    this.#engines.release(agentId)
  }

  /** Refuses, waits or ends what runs, as the command wishes. */
  async #makeRoom(seat: Seat, command: StartRun): Promise<void> {
    switch (command.ifBusy) {
      case 'refuse':
        if (seat.driver) throw busy(command.conversationId)
        return
      case 'queue':
        return seat.idle()
      case 'replace':
        await this.#resume(seat, command.agentId, TELL_MODEL)
        return seat.abort('replaced')
      default:
        command.ifBusy satisfies never
    }
  }

  async #begin(
    seat: Seat,
    command: Omit<StartRun, 'history'> & { readonly history?: readonly Message[] },
    events: RunEvents,
  ): Promise<void> {
    const { conversation } = seat
    const { runId, message, limits, history = [] } = command
    await seat.own()
    try {
      const { run } = conversation
      if (run?.end === null) throw busy(command.conversationId)
      if (conversation.messages.length === 0 && history.length > 0) {
        const entry = { type: 'messages-imported', messages: history } as const
        await conversation.append([entry], { runId: null })
      }
      // Of an imported history, too, which is kept: its calls take their outputs first.
      const pending = [...(run === null ? [] : pendingCalls(run)), ...conversation.importedCalls]
      if (message !== null && pending.length > 0) throw callsPending(pending)
      const first = { type: 'step-started', step: 1, resumed: false } as const
      await conversation.append([{ type: 'run-started', message, limits }, first], { runId })
    } catch (error) {
      seat.disown()
      throw error
    }
    events.push({ type: 'run-start', message })
    this.#drive(seat, command, { events, resume: null })
  }

  async #resume(
    seat: Seat,
    agentId: string,
    resume: ResumeOptions & { readonly runId?: string },
  ): Promise<RunRef | null> {
    const { conversation } = seat
    const { conversationId } = seat.scope
    if (seat.driver) return { conversationId, runId: seat.driver.runId }
    await conversation.refresh()
    const newest = conversation.run
    if (newest === null) return null
    const ref = { agentId, conversationId, runId: newest.runId }
    if (newest.end !== null) {
      if (newest.runId !== resume.runId) return null
      tellEnd(this.#events(ref), runResult(ref, conversation.runEntries, newest.end))
      return { conversationId, runId: newest.runId }
    }
    await seat.own()
    const { run } = conversation
    if (run === null || run.end !== null) {
      seat.disown()
      return null
    }
    const events = this.#events(ref)
    events.push(runSnapshot(conversation, run))
    this.#drive(seat, ref, { events, resume })
    return { conversationId, runId: run.runId }
  }

  #drive(
    seat: Seat,
    ref: { readonly agentId: string; readonly runId: string },
    how: { readonly events: RunEvents; readonly resume: ResumeOptions | null },
  ): void {
    const { page, pageId, providers, effects } = this.#options
    const { agentId, runId } = ref
    const { conversation, ownership } = seat
    const own = { memory: this.#memory, engines: this.#engines }
    const shared = { page, pageId, providers, effects, ...own }
    const driver = new RunDriver(
      { agentId, runId, conversation, validator: sharedValidator(), ...shared, ...how },
      ownership,
    )
    seat.drive(driver, () => {
      // The fold of a run that stopped without an end may be behind the truth.
      if (conversation.run?.end === null) this.#seats.forget(seat.scope)
    })
  }

  async #newestUnfinished(scope: AgentScope): Promise<string | null> {
    const [newest] = await this.library.list({ ...scope, unfinished: true })
    return newest?.conversationId ?? null
  }

  /** An output nobody waits for is kept as a message, so that the model sees it at its next turn. */
  async #keepLateOutput(command: SupplyOutput): Promise<null> {
    const { agentId, storage, conversationId, toolCallId } = command
    const kept = conversationId !== undefined
    this.#options.notify({
      type: 'warning',
      code: 'no-pending-call',
      message: `No call ${toolCallId} waits for an output; ${kept ? 'it was kept as a user message' : 'name its conversation to keep it as a user message'}.`,
    })
    if (!kept) return null
    const seat = await this.#seats.take({ agentId, storage, conversationId })
    const entry = { type: 'messages-imported', messages: [lateOutputMessage(command)] } as const
    const append = (): Promise<void> => seat.conversation.append([entry], { runId: null })
    // While a run is driven here the conversation is owned already.
    await (seat.driver ? append() : seat.owning(append))
    return null
  }

  #events(ref: RunRef & { readonly agentId: string }): RunEvents {
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

function tellEnd(events: RunEvents, result: RunResult): void {
  events.push({ type: 'run-end', result })
  events.flush()
}
