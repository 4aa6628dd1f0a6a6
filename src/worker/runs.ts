import type { StartRun, SupplyOutput } from '../protocol/commands.ts'
import type { DeltaOf } from '../protocol/delta.ts'
import type { WorkerNotice } from '../protocol/notices.ts'
import type { PageApi } from '../protocol/page-calls.ts'
import type { RunRef } from '../protocol/scope.ts'
import { pendingOf } from '../conversation/pending.ts'
import { toErrorData } from '../protocol/error.ts'
import { LEFT_OPEN, type RunLimits, type RunOutcome } from '../protocol/run.ts'
import { importHistory } from '../providers/history/import-history.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import {
  continueAdmission,
  firstFacts,
  parkAdmission,
  stopAdmissions,
  type Asked,
  untilIdle,
} from './admissions.ts'
import { branchPoint } from './branch-point.ts'
import { busy, callsPending, parkedRun } from './busy.ts'
import type { ResumeOptions } from './run/run-context.ts'
import type { Effects } from './effects.ts'
import type { Engines } from './model/engines.ts'
import type { ModelMemory } from './model/model-memory.ts'
import type { Waiter } from './store/storage-retry.ts'
import { placeHistory } from './place-history.ts'
import { RunDriver } from './run/run-driver.ts'
import type { Admission, ActiveConversation } from './active-conversation.ts'
import type { RunState } from '../protocol/state.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import { whenAborted } from '../lib/abort.ts'
import type { Stream } from './stream.ts'
import { pendingOutput } from './supply-output.ts'
import { sharedValidator } from './validation/create-validator.ts'
import { watchedValidator } from './validation/watched-validator.ts'

export interface RunsOptions {
  readonly page: PageApi
  readonly pageId: string
  readonly providers: ProviderRegistry
  readonly effects: Effects
  readonly memory: ModelMemory
  readonly engines: Engines
  readonly registry: ConversationRegistry
  readonly notify: (notice: WorkerNotice) => void
}

export interface Resume extends ResumeOptions {
  /** The run that the page shows: if it has ended meanwhile, the page is notified of that. */
  readonly runId?: string
  /** The page is sent where the run stands, if another agent drives it. */
  readonly follows?: boolean
}

export const TELL_MODEL: Resume = { interrupted: 'tell-model', waitForToolsMs: 10_000 }

/** Begins runs and takes them up: at most one in a conversation, stored before it is driven. */
export class Runs {
  readonly #options: RunsOptions
  /** Agents that are gone: what was asked for in their name is not driven any more. */
  readonly #released = new Set<string>()

  constructor(options: RunsOptions) {
    this.#options = options
  }

  /** Never rejects: whatever refuses the run becomes its `failed` end. */
  async start(command: StartRun): Promise<void> {
    const { registry } = this.#options
    const { agentId, runId } = command
    let stream = registry.streamOf(command)
    let leave = (): void => undefined
    const isOver = new Promise<void>((resolve) => {
      leave = resolve
    })
    const stop = new AbortController()
    const { signal } = stop
    const admission: Admission = { agentId, runId, stop, isOver, isParked: false }
    try {
      const active = await registry.take(command)
      ;({ stream } = active.conversation)
      // Asked for twice: of the first it is known whether it began.
      if (isKnown(active, runId)) return
      const isBusy = active.parked !== null || active.driver?.isStopped === false
      if (command.ifBusy === 'refuse' && isBusy) throw busy(command.conversationId)
      if (command.ifBusy === 'replace') stopAdmissions(active, 'replaced')
      const before = [...active.admissions.values()]
      active.admissions.set(runId, admission)
      try {
        // First come, first served.
        for (const other of before) await Promise.race([other.isOver, whenAborted(signal)])
        await this.#admit(active, command, { stream, admission })
      } finally {
        active.admissions.delete(runId)
        leave()
        void active.stayIdle()
      }
    } catch (error) {
      const outcome: RunOutcome = signal.aborted
        ? { outcome: 'aborted', reason: String(signal.reason) }
        : { outcome: 'failed', error: toErrorData(error) }
      const hasBegun = registry.find(command)?.conversation.run?.runId === runId
      leaveRun(stream, runId, { outcome, ...(!hasBegun && { message: command.message }) })
    }
  }

  /**
   * Takes in an output that a call waits for, in the lane. The last one begins the run that goes on from
   * it, in the same append. Null: no call waits for it. Throws `conversation-busy` while a run is open: nothing
   * comes between what that asks its model and the answer.
   */
  async supply(
    active: ActiveConversation,
    command: SupplyOutput,
  ): Promise<{ next: RunRef | null } | null> {
    const { conversation } = active
    const { conversationId } = active.scope
    await conversation.refresh()
    conversation.refuseBroken()
    if (conversation.run?.end === null) throw busy(conversationId)
    if (pendingOutput(conversation, command) === null) return null
    await active.idle()
    await active.own({ create: false })
    const { agentId, storage, nextRunId: runId } = command
    const next = {
      agentId,
      storage,
      conversationId,
      runId,
      message: null,
      ifBusy: 'refuse',
    } as const
    let limits: RunLimits | null = null
    try {
      const isTaken = await conversation.append(
        (run) => {
          if (run?.end === null) throw busy(conversationId)
          const supplied = pendingOutput(conversation, command)
          if (supplied === null) return null
          limits = supplied.goesOn
          return limits === null
            ? [supplied.settled]
            : [supplied.settled, ...firstFacts(null, limits)]
        },
        { runId },
      )
      if (!isTaken) return null
    } catch (error) {
      limits = null
      throw error
    } finally {
      if (limits === null) active.disown()
    }
    if (limits === null) return { next: null }
    this.#launch(active, next)
    return { next: { conversationId, runId } }
  }

  /**
   * Begins a run where the last one ended without being done: it failed, or used up its steps. It has the same
   * limits, counted anew. Null when there is nothing to go on with.
   */
  async goOn(active: ActiveConversation, agentId: string): Promise<RunRef | null> {
    const { conversation } = active
    if (unfinished(conversation.run) === null) return null
    await active.own({ create: false })
    const runId = this.#options.effects.newId('run_')
    let isBegun = false
    try {
      isBegun = await conversation.append(
        (run) => {
          const ended = unfinished(run)
          return ended && firstFacts(null, ended.limits)
        },
        { runId, once: true },
      )
    } finally {
      if (!isBegun) active.disown()
    }
    if (!isBegun) return null
    this.#launch(active, { agentId, runId })
    return { conversationId: active.scope.conversationId, runId }
  }

  /** Stops what the agent drives or is about to begin, without an end: whoever resumes it goes on. */
  release(agentId: string): void {
    this.#released.add(agentId)
    const { registry } = this.#options
    for (const active of registry.drivenBy(agentId)) active.driver?.release()
    for (const active of registry.all())
      for (const admission of active.admissions.values())
        if (admission.agentId === agentId) admission.stop.abort(LEFT_OPEN.disposed)
  }

  async #commitStart(active: ActiveConversation, command: StartRun): Promise<void> {
    const { conversation } = active
    const { runId, message, limits, branch } = command
    const history = importHistory(command.history ?? [])
    await active.own()
    try {
      const { run } = conversation
      // Stored by an earlier try, whose answer was lost.
      if (run?.runId === runId) return conversation.publish('taken-up')
      if (run?.end === null) throw busy(command.conversationId)
      if (conversation.messages.length === 0 && history.length > 0) {
        const messages = placeHistory(history, this.#options.effects.newId)
        await conversation.append([{ type: 'messages-imported', messages }], {
          runId: null,
          once: true,
        })
      }
      // Of an imported history, too, which is kept: its calls take their outputs first.
      const pending = pendingOf(conversation.state)
      if ((message !== null || branch) && pending.length > 0) throw callsPending(pending)
      const place = branch && { parentId: branchPoint(conversation.state, branch) }
      await conversation.append(firstFacts(message, limits, place), { runId, once: true })
    } catch (error) {
      active.disown()
      throw error
    }
  }

  #launch(active: ActiveConversation, command: Pick<StartRun, 'agentId' | 'runId'>): void {
    if (this.#released.has(command.agentId)) return active.disown()
    this.#drive(active, command, null)
  }

  /** Null when there is no open run; of the run that was asked for, the page is sent how it ended. */
  async resume(
    active: ActiveConversation,
    agentId: string,
    resume: Resume,
  ): Promise<RunRef | null> {
    const { conversation } = active
    const { conversationId } = active.scope
    if (active.driver?.isLeaving) await active.idle()
    if (active.driver) return active.refTo(resume)
    await conversation.refresh()
    conversation.refuseBroken()
    const newest = conversation.run
    if (newest === null) return null
    // The one that the page shows has ended, and another one began since: it is nobody's to go on with here.
    if (resume.runId !== undefined && resume.runId !== newest.runId) return null
    if (newest.end !== null) {
      if (newest.runId !== resume.runId) return null
      conversation.publish('taken-up')
      return { conversationId, runId: newest.runId }
    }
    await active.own({ create: false })
    const { run } = conversation
    if (run === null || run.end !== null || this.#released.has(agentId)) {
      active.disown()
      return null
    }
    conversation.publish('taken-up')
    this.#drive(active, { agentId, runId: run.runId }, resume)
    return { conversationId, runId: run.runId }
  }

  /** Begins the run as soon as there is room; while the storage is full, the message is kept. */
  #admit(active: ActiveConversation, command: StartRun, asked: Asked): Promise<void> {
    const { signal } = asked.admission.stop
    const waiter: Waiter = {
      signal,
      waitsFor: (reason) => reason === 'storage-full',
      onPark: (reason) => parkAdmission(command, asked, reason),
      onContinue: () => continueAdmission(asked),
    }
    const begin = async (): Promise<void> => {
      for (;;) {
        signal.throwIfAborted()
        if (await active.inLane(() => this.#begin(active, command, asked))) return
        await untilIdle(active, command, asked)
      }
    }
    return active.conversation.storageRetry.persist(begin, { waiter })
  }

  /** False when a run is in the way that has to end first. */
  async #begin(
    active: ActiveConversation,
    command: StartRun,
    { admission }: Asked,
  ): Promise<boolean> {
    const { signal } = admission.stop
    signal.throwIfAborted()
    if (!(await this.#makeRoom(active, command))) return false
    signal.throwIfAborted()
    await this.#commitStart(active, command)
    this.#launch(active, command)
    if (signal.aborted) active.driver?.abort(String(signal.reason))
    return true
  }

  /** Refuses, lets wait or stops what runs, as the command wishes; true when nothing does. */
  async #makeRoom(
    active: ActiveConversation,
    { agentId, conversationId, ifBusy }: StartRun,
  ): Promise<boolean> {
    const { conversation } = active
    switch (ifBusy) {
      case 'refuse':
        // What is being stopped is as good as ended.
        if (active.driver && !active.driver.isStopped) throw busy(conversationId)
        break
      case 'queue':
        // A run that nobody drives would never make room.
        await conversation.refresh()
        if (conversation.run?.parked) throw parkedRun(conversationId, conversation.run.parked)
        await this.resume(active, agentId, TELL_MODEL)
        break
      case 'replace':
        await this.resume(active, agentId, TELL_MODEL)
        active.driver?.abort('replaced')
        break
      default:
        ifBusy satisfies never
    }
    return active.driver === null
  }

  #drive(
    active: ActiveConversation,
    ref: { readonly agentId: string; readonly runId: string },
    resume: ResumeOptions | null,
  ): void {
    const { page, pageId, providers, effects, memory, engines } = this.#options
    const shared = { page, pageId, providers, effects, memory, engines }
    const { agentId, runId } = ref
    const { conversation, ownership, tabs } = active
    const isElsewhere = (toolName: string): Promise<boolean> =>
      tabs.hasTool(conversation.conversationId, toolName)
    const validator = watchedValidator(sharedValidator(), (risk) =>
      this.#options.notify({ type: 'risk', agentId, runId, risk }),
    )
    const { stream } = conversation
    const driver = new RunDriver(
      { agentId, runId, conversation, stream, validator, resume, isElsewhere, ...shared },
      ownership,
    )
    active.drive(driver)
  }
}

/** The run, if it ended before it was done. */
function unfinished(run: RunState | null): RunState | null {
  return run?.end?.outcome === 'failed' || run?.end?.outcome === 'max-steps' ? run : null
}

function isKnown({ admissions, driver, conversation }: ActiveConversation, runId: string): boolean {
  return admissions.has(runId) || driver?.runId === runId || conversation.run?.runId === runId
}

/** Ends the run for its handles, without a fact. */
export function leaveRun(
  stream: Stream,
  runId: string,
  end: Pick<DeltaOf<'run-left'>, 'outcome' | 'message'>,
): void {
  stream.delta({ type: 'run-left', runId, ...end })
  stream.flush()
}
