import type {
  AbortRun,
  AnnounceChild,
  CallAnswer,
  LeaseCheck,
  Preparation,
  ResumeRun,
  RevokeConsent,
  SendMessage,
  StartRun,
  SupplyOutput,
  WithdrawMessage,
} from '../protocol/commands.ts'
import type { PageNotice, WorkerNotice } from '../protocol/notices.ts'
import type { PageApi } from '../protocol/page-calls.ts'
import type { AgentRef, ConversationScope, RunRef } from '../protocol/scope.ts'
import { OffstageError, toErrorData } from '../protocol/error.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import type { Effects } from './effects.ts'
import { AwaitedRuns } from './awaited-runs.ts'
import { announceChild } from './child-runs.ts'
import { CompositeCommands } from './composite-commands.ts'
import { Engines } from './model/engines.ts'
import { Extractions } from './model/extract.ts'
import { Imports } from './imports.ts'
import { Library } from './library.ts'
import { LateOutputs } from './late-outputs.ts'
import { ModelMemory } from './model/model-memory.ts'
import { isElsewhere } from './ownership/elsewhere.ts'
import type { PageVisibilityTarget } from './page-visibility.ts'
import { RunCommands } from './run-commands.ts'
import { LeftRuns, TELL_MODEL, type Resume } from './left-runs.ts'
import { RunFamilies } from './run-families.ts'
import { RunLauncher } from './run-launcher.ts'
import { leaveElsewhere, Runs } from './runs.ts'
import type { ActiveConversation } from './active-conversation.ts'
import { ConversationRetention } from './conversation-retention.ts'
import { ConversationRegistry } from './conversation-registry.ts'
import { ConversationViews } from './conversation-views.ts'
import { Redaction } from './store/redaction.ts'
import { Stores, type StoresOptions } from './store/stores.ts'
import { Titles } from './titles.ts'
import { Undoing } from './undo.ts'
import type { Validator } from './validation/validator.ts'

export interface HostOptions extends Pick<StoresOptions, 'openDurable' | 'stores'> {
  readonly page: PageApi
  readonly pageId: string
  readonly notify: (notice: WorkerNotice) => void
  readonly providers: ProviderRegistry
  readonly effects: Effects
  readonly validator: Validator
}

type ProgressNotice = Extract<PageNotice, { readonly type: 'tool-progress' }>

/** Answers the page's commands, without the wire protocol: admits runs, finds them, and passes on answers. */
export class Host {
  readonly library: Library
  readonly retention: ConversationRetention
  readonly titles: Titles
  readonly imports: Imports
  readonly extractions: Extractions
  readonly shown: ConversationViews
  readonly composites: CompositeCommands
  readonly undoing: Undoing
  readonly visibility: PageVisibilityTarget
  readonly #options: HostOptions
  readonly #late: LateOutputs
  readonly #registry: ConversationRegistry
  readonly #memory: ModelMemory
  readonly #engines: Engines
  readonly #families: RunFamilies
  readonly #launcher: RunLauncher
  readonly #left: LeftRuns
  readonly #runs: Runs
  readonly #commands: RunCommands
  constructor(options: HostOptions) {
    this.#options = options
    this.#late = new LateOutputs(options)
    const redaction = new Redaction(options.page)
    const stores = new Stores({ ...options, redaction })
    this.visibility = stores.visibility
    let batches = 0
    const output = { notify: options.notify, nextBatch: () => ++batches }
    this.#registry = new ConversationRegistry({
      redaction,
      stores,
      effects: options.effects,
      output,
      host: {
        perform: (active, asked) => this.#commands.perform(active, asked),
        succeed: (active, agentId) => this.#succeed(active, agentId),
        toolNames: async (agentId) =>
          (await options.page.currentTools({ agentId })).map(({ name }) => name),
      },
    })
    this.#memory = new ModelMemory(() => options.effects.now())
    this.library = new Library(this.#registry, options.effects)
    this.retention = new ConversationRetention(this.#registry, options.effects)
    this.imports = new Imports(this.#registry, options.effects)
    this.shown = new ConversationViews(this.#registry, (active, agentId) =>
      this.#lookAfter(active, agentId),
    )
    this.#families = new RunFamilies(this.#registry)
    const openEngine: PageApi['openEngine'] = (opening) => options.page.openEngine(opening)
    this.#engines = new Engines({ openEngine, notify: options.notify })
    const own = { memory: this.#memory, engines: this.#engines, registry: this.#registry }
    const { effects } = options
    this.#launcher = new RunLauncher({ ...options, ...own, families: this.#families })
    this.#left = new LeftRuns(this.#launcher, effects)
    this.#runs = new Runs({
      effects,
      registry: this.#registry,
      launcher: this.#launcher,
      left: this.#left,
      inherit: (active, agentId) => this.#inherit(active, agentId, {}),
    })
    const awaited = new AwaitedRuns({ ...options, ...own, launcher: this.#launcher })
    this.#commands = new RunCommands({
      registry: this.#registry,
      effects: options.effects,
      pageId: options.pageId,
      takeUp: (active, agentId, how) => this.#inherit(active, agentId, how),
      untilDriven: (active, agentId) => awaited.untilDriven(active, agentId),
    })
    this.extractions = new Extractions({ ...options, ...own })
    this.titles = new Titles({ ...options, ...own })
    this.undoing = new Undoing(this.#registry, options.page)
    this.composites = new CompositeCommands(this.#registry)
  }

  /** Objects whose methods answer commands. */
  get parts(): readonly [
    Host,
    Library,
    ConversationRetention,
    Imports,
    ConversationViews,
    Extractions,
    Titles,
    CompositeCommands,
    Undoing,
  ] {
    const { library, retention, imports, shown, extractions, titles, composites, undoing } = this
    return [this, library, retention, imports, shown, extractions, titles, composites, undoing]
  }

  async prepare({ model, engine, ...scope }: Preparation): Promise<void> {
    await Promise.all([
      this.#registry.store(scope),
      engine ? this.#engines.prepare(scope.agentId, model) : undefined,
    ])
  }

  stopPreparing({ agentId }: AgentRef): void {
    this.#engines.stopPreparing(agentId)
  }

  startRun(command: StartRun): Promise<void> {
    this.titles.release(command.agentId)
    return this.#runs.start(command)
  }

  async resumeRun(command: ResumeRun): Promise<RunRef | null> {
    const { conversationId } = command
    if (conversationId !== undefined) return this.#resumeRun({ ...command, conversationId })
    for (const record of await this.library.listConversations({ ...command, unfinished: true })) {
      if (record.broken !== undefined) continue
      const scope = { ...command, conversationId: record.conversationId }
      try {
        const ref = await this.#resumeRun(scope)
        if (ref !== null || !this.#registry.find(scope)?.isOnOtherDevice) return ref
      } catch (error) {
        // The conversation was just found to be broken. The others still work.
        if (!OffstageError.is(error) || error.code !== 'conversation-broken') throw error
      }
    }
    return null
  }

  async #resumeRun(command: ResumeRun & ConversationScope): Promise<RunRef | null> {
    const { agentId, conversationId, goOn } = command
    this.titles.release(agentId)
    const active = await this.#registry.take(command)
    active.tabs.want(conversationId)
    if (goOn) active.conversation.storageRetry.retry()
    // Read before any wait: a run that begins and ends meanwhile isn't the one that was asked about.
    const asked = goOn ? await this.#left.toGoOn(active, goOn) : null
    if (active.parked) {
      active.conversation.publish('joined')
      return { conversationId, runId: active.parked.runId }
    }
    try {
      const ref = await this.#takeUp(active, agentId, { ...command, follows: true })
      this.#lookAfter(active, agentId)
      if (goOn) await active.driver?.goOn()
      if (ref !== null || asked === null) return ref
      return await active.inLaneNow(() => this.#left.goOn(active, agentId, asked))
    } catch (error) {
      if (!isElsewhere(error)) throw error
      await active.lookElsewhere()
      if (!active.tabs.follows(conversationId)) {
        const { message } = toErrorData(error)
        this.#options.notify({ type: 'warning', code: 'owned-elsewhere', message })
      }
      return leaveElsewhere(active.conversation, command, error)
    }
  }

  /** Ends child runs that still work for an ended run. Called when a conversation is opened. */
  #lookAfter(active: ActiveConversation, agentId: string): void {
    const end = (each: ActiveConversation): Promise<void> =>
      each.inLaneNow(() => this.#left.endOrphan(each, agentId))
    const work = async (): Promise<void> => {
      if (active.conversation.run?.forCall) await end(active)
      await this.#families.visit(active, end)
    }
    // Failed work (another tab owns the conversation, the storage refuses) is done when the conversation is opened
    // next.
    void work().catch(() => undefined)
  }

  /** Returns the run driven here, or resumes the open one. */
  async #takeUp(
    active: ActiveConversation,
    agentId: string,
    resume: Resume,
  ): Promise<RunRef | null> {
    // A driver that is stopping leaves its run unfinished. Wait for it, then resume the run.
    if (active.driver?.isLeaving) await active.idle()
    if (active.driver) return active.refTo(resume)
    return active.inLaneNow(() => this.#left.resume(active, agentId, resume))
  }

  /** Resumes a run that the page didn't ask for, and notifies the page, which resumes the child runs. */
  async #inherit(
    active: ActiveConversation,
    agentId: string,
    how: Pick<Resume, 'asChild' | 'isWanted'>,
  ): Promise<void> {
    const before = active.driver
    await this.#takeUp(active, agentId, { ...TELL_MODEL, ...how })
    if (active.driver === null || active.driver === before || how.asChild) return
    const { conversationId } = active.scope
    this.#options.notify({ type: 'run-inherited', agentId, conversationId })
  }

  async abortRun(command: AbortRun): Promise<boolean> {
    const isEnded = await this.#commands.abort(command)
    // The page that began the child runs may be gone.
    const active = this.#registry.find(command)
    if (isEnded && active) this.#lookAfter(active, command.agentId)
    return isEnded
  }

  answerCall(command: CallAnswer): Promise<boolean> {
    return this.#commands.answer(command)
  }

  revokeConsent(command: RevokeConsent): Promise<boolean> {
    return this.#commands.revoke(command)
  }

  sendMessage(command: SendMessage): Promise<boolean> {
    return this.#commands.send(command)
  }

  withdrawMessage(command: WithdrawMessage): Promise<boolean> {
    return this.#commands.withdraw(command)
  }

  async supplyOutput(command: SupplyOutput): Promise<RunRef | null> {
    const active = await this.#registry.ofCall(command)
    if (active === null) {
      await this.#late.keep(null, command)
      return null
    }
    return active.inLaneNow(async () => {
      const supplied = await this.#left.supply(active, command)
      if (supplied === null) await this.#late.keep(active, command)
      return supplied && supplied.next
    })
  }

  /** Asks the store itself, since this worker may have slept while another one took over. */
  async confirmLease({ epoch, ...scope }: LeaseCheck): Promise<boolean> {
    const { conversationId } = scope
    const active = await this.#registry.take(scope)
    if (!active.ownership.holds(conversationId)) return false
    const record = await (await this.#registry.store(scope)).get(conversationId)
    return record?.epoch === epoch
  }

  announceChild(command: AnnounceChild): Promise<void> {
    return announceChild(this.#registry, command)
  }

  /** Takes over the open run and resumes it. Another tab is asked to hand it over, another device is fenced off. */
  async takeOver(command: ResumeRun & ConversationScope): Promise<RunRef | null> {
    const active = await this.#registry.take(command)
    const { conversationId } = command
    if (!active.driver && active.tabs.driverOf(conversationId) !== null)
      await active.ownership.requestHandover(conversationId)
    return this.#resumeRun({ ...command, takesOver: true })
  }

  /** Publishes progress for late listeners and other tabs. This worker's page has already shown it. */
  progress({ runId, path, progress, ...scope }: ProgressNotice): void {
    this.#registry
      .find(scope)
      ?.conversation.stream.published({ type: 'tool-progress', runId, path, progress })
  }

  /** Resumes a run that lost its tab. The lease is held. */
  async #succeed(active: ActiveConversation, agentId: string): Promise<void> {
    try {
      await this.#inherit(active, agentId, {})
    } finally {
      if (!active.driver) active.disown()
    }
  }

  toolsChanged({ agentId }: AgentRef): void {
    for (const active of this.#registry.drivenBy(agentId)) active.driver?.toolsChanged()
    for (const tabs of this.#registry.allTabs()) tabs.toolsChanged(agentId)
  }

  releaseAgent({ agentId }: AgentRef): void {
    this.#launcher.release(agentId)
    for (const tabs of this.#registry.allTabs()) tabs.released(agentId)
    this.shown.release(agentId)
    this.imports.release(agentId)
    this.extractions.release(agentId)
    this.titles.release(agentId)
    this.#engines.release(agentId)
  }
}
