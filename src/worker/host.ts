import {
  type AbortRun,
  type AnnounceChild,
  type LeaseCheck,
  type Preparation,
  type ResumeRun,
  type StartRun,
  type SupplyOutput,
  type LockRef,
  type PageHello,
  PROTOCOL_VERSION,
  type WorkerCalls,
  type WorkerHello,
} from '../protocol/worker-calls.ts'
import type { PageNotice, WorkerNotice } from '../protocol/notices.ts'
import { type PageApi, PAGE_CALLS } from '../protocol/page-calls.ts'
import type { AgentRef, ConversationScope, RunRef } from '../protocol/conversation.ts'
import { OffstageError, toErrorData } from '../protocol/error.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import type { Effects } from './effects.ts'
import { CompositeCommands, RunCommands } from './run-commands.ts'
import { Engines } from './model/engine-providers.ts'
import { Extractions } from './model/extract.ts'
import { Imports } from './imports.ts'
import { Library } from './library.ts'
import { ModelMemory } from './model/model-memory.ts'
import { otherOwnerError, isOtherOwnerError } from './ownership/leases.ts'
import { RunResumer, type ResumeRequest, TELL_MODEL } from './run-resumer.ts'
import { RunFamilies, RunLauncher } from './run-launcher.ts'
import { endRunHandles, RunQueue } from './run-starter.ts'
import type { ActiveConversation } from './active-conversation.ts'
import { ConversationRetention } from './conversation-retention.ts'
import { ConversationRegistry, ConversationViews } from './conversation-registry.ts'
import { type PageVisibilityTarget, Redaction, Stores, type StoresOptions } from './store/stores.ts'
import { Titles } from './titles.ts'
import { Undoing } from './undo.ts'
import type { Validator } from './validation/validator.ts'
import { isSettled } from '../conversation/pending.ts'
import { MOST_CHILDREN } from '../protocol/run.ts'
import { outputText } from '../providers/sent-files.ts'
import { syntheticMessage } from './model/compaction.ts'
import type { FactDraft } from './store/fact-draft.ts'
import { resultWithin } from './stopping.ts'
import { wrap } from 'comlink'
import { holdLifeLock } from '../lib/life-lock.ts'
import { type Answers, wrapRemoteCalls } from '../protocol/call.ts'
import { setPartAddress } from './parts.ts'

/** Milliseconds between checks of the store, in case another tab drives or ends the run. */
const CHECK_MS = 1000

interface ChildRunResumerOptions {
  readonly registry: Pick<ConversationRegistry, 'openConversation'>
  readonly launcher: Pick<RunLauncher, 'isReleased'>
  readonly page: Pick<PageApi, 'goOnWithCaller'>
  readonly effects: Pick<Effects, 'sleep'>
}

/** Finds a driver for child runs without one: the owner of the parent run resumes them. */
class ChildRunResumer {
  readonly #options: ChildRunResumerOptions
  /** Pending requests to the page, by child conversation. */
  readonly #pageRequests = new Map<ActiveConversation, Promise<void>>()

  constructor(options: ChildRunResumerOptions) {
    this.#options = options
  }

  /**
   * Resolves once the child run is driven, here or in another tab, or no call waits for it any more. Asks the page to
   * resume it once the needed agents exist. Throws `conversation-busy` when this agent is released.
   */
  async untilDriven(active: ActiveConversation, agentId: string): Promise<void> {
    const { launcher, effects } = this.#options
    const { conversation, tabs } = active
    const driven = active.whenDriven()
    while (active.driver === null) {
      if (launcher.isReleased(agentId)) throw otherOwnerError(conversation.conversationId)
      this.#requestResumeOnce(active, agentId)
      await resultWithin(CHECK_MS, driven, effects)
      await conversation.refresh()
      if (conversation.run?.end !== null || !(await conversation.isAwaited())) return
      if (typeof tabs.driverOf(conversation.conversationId) === 'string') return
    }
  }

  #requestResumeOnce(active: ActiveConversation, agentId: string): void {
    if (this.#pageRequests.has(active)) return
    const request = this.#requestResume(active, agentId)
      // If the page fails to answer, nothing is resumed now: the loop asks again.
      .catch(() => undefined)
      .finally(() => this.#pageRequests.delete(active))
    this.#pageRequests.set(active, request)
  }

  async #requestResume(
    { conversation, scope }: ActiveConversation,
    agentId: string,
  ): Promise<void> {
    const { registry, page } = this.#options
    const { parent } = conversation
    if (!parent) return
    const { conversationId, toolCallId } = parent
    const parentActive = await registry.openConversation({ ...scope, agentId, conversationId })
    await parentActive.conversation.refresh()
    const call = parentActive.conversation.run?.calls.find((each) => each.toolCallId === toolCallId)
    if (call) await page.goOnWithCaller({ agentId, conversationId, toolName: call.toolName })
  }
}

/**
 * Records in the parent conversation that a call is about to start a child run. Throws `invalid-input` if the run
 * isn't driven here, has ended, has too many children or is a child itself, or if the call is settled.
 */
async function announceChild(
  registry: Pick<ConversationRegistry, 'find'>,
  { runId, toolCallId, childConversationId, childRunId, ...scope }: AnnounceChild,
): Promise<void> {
  const found = registry.find(scope)
  const conversation = found?.conversation
  if (!conversation || found.driver?.runId !== runId) throw inputError(NOT_DRIVEN)
  if (conversation.parent) throw inputError(TOO_DEEP)
  let problem: string | null = NOT_DRIVEN
  await conversation.append(
    (run) => {
      const isOpen = run?.runId === runId && run.end === null
      const call = isOpen ? run.calls.find((each) => each.toolCallId === toolCallId) : null
      if (!call || isSettled(call)) return null
      const isStarted = call.child?.conversationId === childConversationId
      const maxChildren = run?.limits.maxChildren ?? MOST_CHILDREN
      problem =
        isStarted || (run?.children?.length ?? 0) < maxChildren
          ? null
          : tooManyChildren(maxChildren)
      if (problem !== null || (isStarted && call.child.runId === childRunId)) return null
      return [{ type: 'child-started', path: call.path, childConversationId, childRunId }]
    },
    { runId, waits: false },
  )
  if (problem !== null) throw inputError(problem)
}

const NOT_DRIVEN = 'The parent call has ended, or its run is not active here.'
const TOO_DEEP = "An agent used as a tool can't call other agents."

function tooManyChildren(maxChildren: number): string {
  return `A run calls other agents ${maxChildren} times at most.`
}

function inputError(message: string): OffstageError {
  return new OffstageError('invalid-input', message)
}

/** Advice for an output whose call is in no stored conversation. */
const NOT_KEPT = 'name its conversation, if it is still stored, to keep it as a user message'

/**
 * Handles an output that no call waits for: keeps it as a message, which the model sees at its next turn. If the
 * conversation is unknown (null), only warns.
 */
async function keepLateOutput(
  active: ActiveConversation | null,
  { conversationId, toolCallId, output }: SupplyOutput,
  { effects, notify }: Pick<HostOptions, 'effects' | 'notify'>,
): Promise<void> {
  const warn = (outcome: string): void => {
    const message = `No call ${toolCallId} waits for an output; ${outcome}.`
    notify({ type: 'warning', code: 'no-pending-call', message })
  }
  if (active === null || conversationId === undefined) return warn(NOT_KEPT)
  const text = `Output of call ${toolCallId}, which no longer waited: ${outputText(output)}`
  const message = { ...syntheticMessage(text), id: effects.newId('msg_') }
  const facts: FactDraft[] = [
    { type: 'messages-imported', messages: [message] },
    // The call's tool is no longer known, so its output counts as untrusted.
    { type: 'context-tainted', after: message.id, origin: 'a late output' },
  ]
  try {
    await active.whenIdle()
    await active.appendBetweenRuns(() => facts, { waits: false })
    warn('it was kept as a user message')
  } catch (error) {
    if (!OffstageError.is(error) || error.code !== 'conversation-not-found') throw error
    warn(NOT_KEPT)
  }
}

export interface HostOptions extends Pick<StoresOptions, 'openDurable' | 'stores'> {
  readonly page: PageApi
  readonly pageId: string
  readonly notify: (notice: WorkerNotice) => void
  readonly providers: ProviderRegistry
  readonly effects: Effects
  readonly validator: Validator
}

type ProgressNotice = Extract<PageNotice, { readonly type: 'tool-progress' }>

type CommandHandlers = readonly [
  Host,
  RunCommands,
  Library,
  ConversationRetention,
  Imports,
  ConversationViews,
  Extractions,
  Titles,
  CompositeCommands,
  Undoing,
]

/** A type that has the members of every type in the list. */
type Intersection<List> = List extends readonly [infer First, ...infer Rest]
  ? First & Intersection<Rest>
  : unknown

/** Answers the page's commands, independent of the wire protocol: begins runs, finds them, and passes on answers. */
export class Host {
  readonly library: Library
  readonly retention: ConversationRetention
  readonly titles: Titles
  readonly imports: Imports
  readonly extractions: Extractions
  readonly views: ConversationViews
  readonly composites: CompositeCommands
  readonly undoing: Undoing
  readonly visibility: PageVisibilityTarget
  readonly #options: HostOptions
  readonly #registry: ConversationRegistry
  readonly #memory: ModelMemory
  readonly #engines: Engines
  readonly #families: RunFamilies
  readonly #launcher: RunLauncher
  readonly #resumer: RunResumer
  readonly #runs: RunQueue
  readonly commands: RunCommands
  constructor(options: HostOptions) {
    this.#options = options
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
        perform: (active, command) => this.commands.perform(active, command),
        inherit: (active, agentId) => this.#resumeOrphaned(active, agentId),
        toolNames: async (agentId) =>
          (await options.page.currentTools({ agentId })).map(({ name }) => name),
      },
    })
    this.#memory = new ModelMemory(() => options.effects.now())
    this.library = new Library(this.#registry, options.effects)
    this.retention = new ConversationRetention(this.#registry, options.effects)
    this.imports = new Imports(this.#registry, options.effects)
    this.views = new ConversationViews(this.#registry, (active, agentId) =>
      this.#endOrphans(active, agentId),
    )
    this.#families = new RunFamilies(this.#registry)
    const openEngine: PageApi['openEngine'] = (opening) => options.page.openEngine(opening)
    this.#engines = new Engines({ openEngine, notify: options.notify })
    const shared = {
      ...options,
      memory: this.#memory,
      engines: this.#engines,
      registry: this.#registry,
    }
    this.#launcher = new RunLauncher({ ...shared, families: this.#families })
    this.#resumer = new RunResumer(this.#launcher, options.effects)
    this.#runs = new RunQueue({
      ...shared,
      launcher: this.#launcher,
      resumer: this.#resumer,
      resumeOpen: (active, agentId) => this.#inherit(active, agentId, {}),
    })
    const childRuns = new ChildRunResumer({ ...shared, launcher: this.#launcher })
    this.commands = new RunCommands({
      ...shared,
      resumeOpen: (active, agentId, options) => this.#inherit(active, agentId, options),
      untilDriven: (active, agentId) => childRuns.untilDriven(active, agentId),
    })
    this.extractions = new Extractions(shared)
    this.titles = new Titles(shared)
    this.undoing = new Undoing(this.#registry, options.page)
    this.composites = new CompositeCommands(this.#registry)
  }

  /** Objects whose methods answer commands. */
  get handlers(): CommandHandlers {
    return [
      this,
      this.commands,
      this.library,
      this.retention,
      this.imports,
      this.views,
      this.extractions,
      this.titles,
      this.composites,
      this.undoing,
    ]
  }

  async prepare({ model, hasEngine: engine, ...scope }: Preparation): Promise<void> {
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
        // The conversation was just found to be broken. Others can still be resumed.
        if (!OffstageError.is(error) || error.code !== 'conversation-broken') throw error
      }
    }
    return null
  }

  async #resumeRun(command: ResumeRun & ConversationScope): Promise<RunRef | null> {
    const { agentId, conversationId, continueLimits } = command
    this.titles.release(agentId)
    const active = await this.#registry.openConversation(command)
    active.tabs.announceResume(conversationId)
    if (continueLimits) active.conversation.storageRetry.retry()
    // Read before any wait: a run that begins and ends during a wait isn't the run to continue.
    const continuation = continueLimits
      ? await this.#resumer.continuationOf(active, continueLimits)
      : null
    if (active.paused) {
      active.conversation.publish('joined')
      return { conversationId, runId: active.paused.runId }
    }
    try {
      const ref = await this.#resumeOpenRun(active, agentId, { ...command, follows: true })
      this.#endOrphans(active, agentId)
      if (continueLimits) await active.driver?.resumePaused()
      if (ref !== null || continuation === null) return ref
      return await active.enqueueNow(() => this.#resumer.continueRun(active, agentId, continuation))
    } catch (error) {
      if (!isOtherOwnerError(error)) throw error
      await active.checkOtherDevices()
      if (!active.tabs.follows(conversationId)) {
        const { message } = toErrorData(error)
        this.#options.notify({ type: 'warning', code: 'owned-elsewhere', message })
      }
      return endRunHandles(active.conversation, command, error)
    }
  }

  /** Ends child runs that still work for an ended run. Called when a conversation is opened. */
  #endOrphans(active: ActiveConversation, agentId: string): void {
    const end = (each: ActiveConversation): Promise<void> =>
      each.enqueueNow(() => this.#resumer.endOrphan(each, agentId))
    const work = async (): Promise<void> => {
      if (active.conversation.run?.forCall) await end(active)
      await this.#families.visit(active, end)
    }
    // Failures are ignored (another tab owns the conversation, the storage refuses): the next opening tries again.
    void work().catch(() => undefined)
  }

  /** Returns the run driven here, or resumes the open one. */
  async #resumeOpenRun(
    active: ActiveConversation,
    agentId: string,
    resume: ResumeRequest,
  ): Promise<RunRef | null> {
    // A driver that is stopping leaves its run unfinished. Wait for it, then resume the run.
    if (active.driver?.isLeaving) await active.whenIdle()
    if (active.driver) return active.refTo(resume)
    return active.enqueueNow(() => this.#resumer.resume(active, agentId, resume))
  }

  /** Resumes a run without a request from the page, and notifies the page, which then resumes the child runs. */
  async #inherit(
    active: ActiveConversation,
    agentId: string,
    options: Pick<ResumeRequest, 'asChild' | 'accepts'>,
  ): Promise<void> {
    const previousDriver = active.driver
    await this.#resumeOpenRun(active, agentId, { ...TELL_MODEL, ...options })
    if (active.driver === null || active.driver === previousDriver || options.asChild) return
    const { conversationId } = active.scope
    this.#options.notify({ type: 'run-inherited', agentId, conversationId })
  }

  async abortRun(command: AbortRun): Promise<boolean> {
    const isEnded = await this.commands.abort(command)
    // The page that began the child runs may be gone, so they are ended here.
    const active = this.#registry.find(command)
    if (isEnded && active) this.#endOrphans(active, command.agentId)
    return isEnded
  }

  async supplyOutput(command: SupplyOutput): Promise<RunRef | null> {
    const active = await this.#registry.openForCall(command)
    if (active === null) {
      await keepLateOutput(null, command, this.#options)
      return null
    }
    return active.enqueueNow(async () => {
      const supplied = await this.#resumer.supply(active, command)
      if (supplied === null) await keepLateOutput(active, command, this.#options)
      return supplied && supplied.next
    })
  }

  /** Asks the store, since this worker may have been suspended while another one took over. */
  async confirmLease({ epoch, ...scope }: LeaseCheck): Promise<boolean> {
    const { conversationId } = scope
    const active = await this.#registry.openConversation(scope)
    if (!active.leases.holds(conversationId)) return false
    const record = await (await this.#registry.store(scope)).get(conversationId)
    return record?.epoch === epoch
  }

  announceChild(command: AnnounceChild): Promise<void> {
    return announceChild(this.#registry, command)
  }

  /**
   * Takes over the open run and resumes it. Another tab is asked to hand the run over. Another device is fenced off.
   */
  async takeOver(command: ResumeRun & ConversationScope): Promise<RunRef | null> {
    const active = await this.#registry.openConversation(command)
    const { conversationId } = command
    if (!active.driver && active.tabs.driverOf(conversationId) !== null)
      await active.leases.requestHandover(conversationId)
    return this.#resumeRun({ ...command, takesOver: true })
  }

  /** Publishes progress to late listeners and other tabs. This worker's page has already shown it. */
  progress({ runId, path, progress, ...scope }: ProgressNotice): void {
    this.#registry
      .find(scope)
      ?.conversation.stream.addShown({ type: 'tool-progress', runId, path, progress })
  }

  /** Resumes a run whose tab is gone. The lease is held. */
  async #resumeOrphaned(active: ActiveConversation, agentId: string): Promise<void> {
    try {
      await this.#inherit(active, agentId, {})
    } finally {
      if (!active.driver) active.releaseOwnership()
    }
  }

  toolsChanged({ agentId }: AgentRef): void {
    for (const active of this.#registry.drivenBy(agentId)) active.driver?.toolsChanged()
    for (const tabs of this.#registry.allTabs()) tabs.toolsChanged(agentId)
  }

  releaseAgent({ agentId }: AgentRef): void {
    this.#launcher.release(agentId)
    for (const tabs of this.#registry.allTabs()) tabs.handleRelease(agentId)
    this.views.release(agentId)
    this.imports.release(agentId)
    this.extractions.release(agentId)
    this.titles.release(agentId)
    this.#engines.release(agentId)
  }
}

type LinkOptions = Omit<HostOptions, 'page' | 'pageId' | 'notify'>

/** Connection to the worker's one page. */
export class PageConnection {
  readonly #options: LinkOptions
  readonly #locks = new Map<string, () => void>()
  /** Locks that were released before they were requested: requests and releases arrive on different ports. */
  readonly #released = new Set<string>()
  #host: Host | null = null

  constructor(options: LinkOptions) {
    this.#options = options
  }

  /** Returns the method with the command's name, from the object that has it. */
  answer(name: keyof WorkerCalls): (argument: never) => unknown {
    const handlers = name in this ? [this] : this.#connectedHost.handlers
    // Together, the handlers have every method of the command table.
    const handler = handlers.find((each) => name in each) as PageConnection &
      Intersection<CommandHandlers>
    const answers: Answers<WorkerCalls> = handler
    return (argument) => answers[name](argument)
  }

  async connect(hello: PageHello): Promise<WorkerHello> {
    const { protocolVersion, pageId, pagePort, eventPort } = hello
    if (protocolVersion !== PROTOCOL_VERSION) {
      throw new OffstageError(
        'protocol-mismatch',
        `The page has version ${protocolVersion} of the protocol, the worker ${PROTOCOL_VERSION}: an old file is cached. Reload without the cache, or deploy both together.`,
      )
    }
    setPartAddress(hello.part)
    this.#host = new Host({
      ...this.#options,
      page: wrapRemoteCalls(PAGE_CALLS, wrap(pagePort)),
      pageId,
      notify: (notice) => eventPort.postMessage(notice),
    })
    eventPort.onmessage = ({ data }) => this.#onNotice(data as PageNotice)
    return { protocolVersion: PROTOCOL_VERSION, clock: this.#options.effects.monotonic() }
  }

  ping(): void {}

  holdLock({ name }: LockRef): Promise<boolean> | boolean {
    if (this.#released.delete(name) || this.#options.effects.locks === undefined) return false
    return holdLifeLock(name, new Promise((release) => this.#locks.set(name, release)))
  }

  /** Accepts the run without waiting for it. Its last event reports the outcome. */
  startRun(command: StartRun): void {
    void this.#connectedHost.startRun(command)
  }

  get #connectedHost(): Host {
    if (this.#host === null) {
      throw new OffstageError('protocol-mismatch', 'The page must call connect() first.')
    }
    return this.#host
  }

  #onNotice(notice: PageNotice): void {
    switch (notice.type) {
      case 'release-lock':
        return this.#releaseLock(notice.name)
      case 'visibility':
        this.#host?.visibility.set(notice.isVisible)
        return this.#host?.views.keepDrafts()
      case 'tool-progress':
        return this.#host?.progress(notice)
      default:
        notice satisfies never
    }
  }

  #releaseLock(name: string): void {
    const release = this.#locks.get(name)
    if (release) release()
    else this.#released.add(name)
    this.#locks.delete(name)
  }
}
