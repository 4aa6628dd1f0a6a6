import type {
  AbortRun,
  CallAnswer,
  LeaseCheck,
  Preparation,
  ResumeRun,
  StartRun,
  SupplyOutput,
} from '../protocol/commands.ts'
import type { PageNotice, WorkerNotice } from '../protocol/notices.ts'
import type { PageApi } from '../protocol/page-calls.ts'
import type { AgentRef, ConversationScope, RunRef } from '../protocol/scope.ts'
import { OffstageError, toErrorData } from '../protocol/error.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { waitingCall } from './answer-call.ts'
import type { Effects } from './effects.ts'
import { Engines } from './engines.ts'
import { Extractions } from './extract.ts'
import { leftOpenBy } from './leave-run.ts'
import { Library } from './library.ts'
import { ModelMemory } from './model-memory.ts'
import { isElsewhere } from './ownership/elsewhere.ts'
import { leaveRun, Runs, TELL_MODEL, type Resume } from './runs.ts'
import type { Seat } from './seat.ts'
import { Seats } from './seats.ts'
import { Shown } from './shown.ts'
import { Stores, type OpenDurable } from './stores.ts'
import { lateOutputMessage } from './supply-output.ts'
import type { TabCommand } from './tabs/tab-messages.ts'

export interface HostOptions {
  readonly page: PageApi
  readonly pageId: string
  readonly notify: (notice: WorkerNotice) => void
  readonly providers: ProviderRegistry
  readonly effects: Effects
  readonly openDurable: OpenDurable
}

type ProgressNotice = Extract<PageNotice, { readonly type: 'tool-progress' }>

/** What becomes of an output whose call no stored conversation has. */
const NOT_KEPT = 'name its conversation, if it is still stored, to keep it as a user message'

/** What the worker does for its page, apart from the wire: admits runs, finds and answers them. */
export class Host {
  readonly library: Library
  readonly extractions: Extractions
  readonly shown: Shown
  readonly #options: HostOptions
  readonly #seats: Seats
  readonly #memory = new ModelMemory()
  readonly #engines: Engines
  readonly #runs: Runs
  constructor(options: HostOptions) {
    this.#options = options
    const stores = new Stores(options.openDurable, options.notify)
    let batches = 0
    const output = { notify: options.notify, nextBatch: () => ++batches }
    this.#seats = new Seats({
      stores,
      effects: options.effects,
      output,
      host: {
        perform: (seat, command) => this.#perform(seat, command),
        succeed: (seat, agentId) => this.#succeed(seat, agentId),
        toolNames: async (agentId) =>
          (await options.page.currentTools({ agentId })).map(({ name }) => name),
      },
    })
    this.library = new Library(this.#seats)
    this.shown = new Shown(this.#seats)
    const openEngine: PageApi['openEngine'] = (opening) => options.page.openEngine(opening)
    this.#engines = new Engines({ openEngine, notify: options.notify })
    const own = { memory: this.#memory, engines: this.#engines }
    this.#runs = new Runs({ ...options, ...own, seats: this.#seats })
    this.extractions = new Extractions({ ...options, ...own })
  }

  /** What has methods that answer commands. */
  get parts(): readonly [Host, Library, Shown, Extractions] {
    return [this, this.library, this.shown, this.extractions]
  }

  async prepare({ model, engine, ...scope }: Preparation): Promise<void> {
    await Promise.all([
      this.#seats.store(scope),
      engine ? this.#engines.prepare(scope.agentId, model) : undefined,
    ])
  }

  stopPreparing({ agentId }: AgentRef): void {
    this.#engines.stopPreparing(agentId)
  }

  startRun(command: StartRun): Promise<void> {
    return this.#runs.start(command)
  }

  async resumeRun(command: ResumeRun): Promise<RunRef | null> {
    const { conversationId } = command
    if (conversationId !== undefined) return this.#resumeRun({ ...command, conversationId })
    for (const record of await this.library.listConversations({ ...command, unfinished: true })) {
      if (record.broken !== undefined) continue
      try {
        return await this.#resumeRun({ ...command, conversationId: record.conversationId })
      } catch (error) {
        // Found out just now: the others work.
        if (!OffstageError.is(error) || error.code !== 'conversation-broken') throw error
      }
    }
    return null
  }

  async #resumeRun(command: ResumeRun & ConversationScope): Promise<RunRef | null> {
    const { agentId, conversationId, goOn } = command
    const seat = await this.#seats.take(command)
    seat.tabs.want(conversationId)
    if (goOn) seat.conversation.patience.retry()
    if (seat.parked) {
      seat.conversation.publish('joined')
      return { conversationId, runId: seat.parked.runId }
    }
    try {
      const ref = await this.#takeUp(seat, agentId, { ...command, follows: true })
      if (goOn) await seat.driver?.goOn()
      return ref
    } catch (error) {
      if (!isElsewhere(error)) throw error
      const { message } = toErrorData(error)
      this.#options.notify({ type: 'warning', code: 'owned-elsewhere', message })
      return this.#leaveOpen(seat, command, error)
    }
  }

  /** A run that a page still shows ends there, without an end in the store: somebody else has it. */
  #leaveOpen(
    { conversation }: Seat,
    { conversationId, runId }: ResumeRun & ConversationScope,
    error: unknown,
  ): RunRef | null {
    const reason = leftOpenBy(null, error)
    if (runId === undefined || reason === null) return null
    leaveRun(conversation.stream, runId, { outcome: { outcome: 'aborted', reason } })
    return { conversationId, runId }
  }

  /** Names the run that is driven here, or takes up the open one. */
  async #takeUp(seat: Seat, agentId: string, resume: Resume): Promise<RunRef | null> {
    // One that stops without an end is taken up as soon as it has.
    if (seat.driver?.isLeaving) await seat.idle()
    if (seat.driver) return seat.driven(resume)
    return seat.inLaneNow(() => this.#runs.resume(seat, agentId, resume))
  }

  async abortRun(command: AbortRun): Promise<boolean> {
    const { runId, reason, error } = command
    const end = error && ({ outcome: 'failed', error } as const)
    const seat = await this.#seats.take(command)
    if (seat.driver?.runId === runId) {
      await seat.abort(reason, end)
      return true
    }
    const admission = seat.admissions.get(runId)
    if (admission) {
      admission.stop.abort(reason)
      return true
    }
    const { conversation } = seat
    await conversation.refresh()
    if (conversation.run?.runId !== runId || conversation.run.end !== null) return false
    if (!error && (await this.#askDriver(seat, { type: 'abort', runId, reason }))) return true
    await seat.inLaneNow(() => this.#runs.resume(seat, command.agentId, TELL_MODEL))
    if (seat.driver?.runId !== runId) return false
    await seat.abort(reason, end)
    return true
  }

  async answerCall(command: CallAnswer): Promise<boolean> {
    const { agentId, toolCallId, answer } = command
    const seat = await this.#seats.ofCall(command)
    if (seat === null || seat.parked) return false
    const { conversation } = seat
    const asked = await this.#askDriver(seat, { type: 'answer', toolCallId, answer })
    if (asked !== null) return asked
    try {
      await this.#takeUp(seat, agentId, TELL_MODEL)
    } catch (error) {
      await conversation.refresh()
      if (!isElsewhere(error) || waitingCall(conversation.run, toolCallId, answer)) throw error
    }
    return (await seat.driver?.answer(answer, toolCallId)) ?? false
  }

  async supplyOutput(command: SupplyOutput): Promise<RunRef | null> {
    const seat = await this.#seats.ofCall(command)
    if (seat === null) {
      this.#warnOfLateOutput(command, NOT_KEPT)
      return null
    }
    return seat.inLaneNow(async () => {
      const supplied = await this.#runs.supply(seat, command)
      if (supplied === null) await this.#keepLateOutput(seat, command)
      return supplied && supplied.next
    })
  }

  /** What the tab that drives the run says; null when none is known to, or it doesn't answer. */
  async #askDriver(
    { driver, conversation, tabs }: Seat,
    command: TabCommand,
  ): Promise<boolean | null> {
    return driver ? null : tabs.ask(conversation.conversationId, command)
  }

  /** Asks the store itself: this worker may have slept while another one took over. */
  async confirmLease({ epoch, ...scope }: LeaseCheck): Promise<boolean> {
    const { conversationId } = scope
    const seat = await this.#seats.take(scope)
    if (!seat.ownership.holds(conversationId)) return false
    const record = await (await this.#seats.store(scope)).get(conversationId)
    return record?.epoch === epoch
  }

  /** Has the tab that drives the run hand it over, and goes on with it. */
  async takeOver(command: ResumeRun & ConversationScope): Promise<RunRef | null> {
    const seat = await this.#seats.take(command)
    const { conversationId } = command
    if (!seat.driver && seat.tabs.driverOf(conversationId) !== null)
      await seat.ownership.requestHandover(conversationId)
    return this.#resumeRun(command)
  }

  /** For those who join later, and other tabs: this one's page has shown it already. */
  progress({ runId, path, progress, ...scope }: ProgressNotice): void {
    this.#seats
      .find(scope)
      ?.conversation.stream.published({ type: 'tool-progress', runId, path, progress })
  }

  /** What another tab asks of the run that is driven here. */
  async #perform({ driver }: Seat, command: TabCommand): Promise<boolean> {
    switch (command.type) {
      case 'answer':
        return (await driver?.answer(command.answer, command.toolCallId)) ?? false
      case 'abort':
        if (driver?.runId !== command.runId) return false
        driver.abort(command.reason)
        return true
      default:
        return command satisfies never
    }
  }

  /** Goes on with a run that lost its tab; its lease is held. */
  async #succeed(seat: Seat, agentId: string): Promise<void> {
    try {
      await this.#takeUp(seat, agentId, TELL_MODEL)
    } finally {
      if (!seat.driver) seat.disown()
    }
  }

  toolsChanged({ agentId }: AgentRef): void {
    for (const seat of this.#seats.drivenBy(agentId)) seat.driver?.toolsChanged()
    for (const tabs of this.#seats.allTabs()) tabs.toolsChanged(agentId)
  }

  releaseAgent({ agentId }: AgentRef): void {
    this.#runs.release(agentId)
    for (const tabs of this.#seats.allTabs()) tabs.released(agentId)
    this.shown.release(agentId)
    this.extractions.release(agentId)
    this.#engines.release(agentId)
  }

  /** An output nobody waits for is kept as a message, so that the model sees it at its next turn. */
  async #keepLateOutput(seat: Seat, command: SupplyOutput): Promise<void> {
    if (command.conversationId === undefined) return this.#warnOfLateOutput(command, NOT_KEPT)
    const messages = [lateOutputMessage(command, this.#options.effects.newId('msg_'))]
    const append = (): Promise<boolean> =>
      seat.conversation.append([{ type: 'messages-imported', messages }], {
        runId: null,
        waits: false,
      })
    try {
      await (seat.driver ? seat.driver.owning(append) : seat.owning(append))
      this.#warnOfLateOutput(command, 'it was kept as a user message')
    } catch (error) {
      if (!OffstageError.is(error) || error.code !== 'conversation-not-found') throw error
      this.#warnOfLateOutput(command, NOT_KEPT)
    }
  }

  #warnOfLateOutput({ toolCallId }: SupplyOutput, fate: string): void {
    const message = `No call ${toolCallId} waits for an output; ${fate}.`
    this.#options.notify({ type: 'warning', code: 'no-pending-call', message })
  }
}
