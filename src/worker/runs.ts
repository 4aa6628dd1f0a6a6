import type { StartRun } from '../protocol/commands.ts'
import type { DeltaOf } from '../protocol/delta.ts'
import { pendingOf } from '../conversation/pending.ts'
import { toErrorData } from '../protocol/error.ts'
import type { Identified } from '../protocol/fact.ts'
import type { Message } from '../protocol/message.ts'
import type { RunOutcome } from '../protocol/run.ts'
import type { RunRef } from '../protocol/scope.ts'
import {
  continueAdmission,
  parkAdmission,
  comesLater,
  stopAdmissions,
  type Asked,
  untilChanged,
  untilIdle,
} from './admissions.ts'
import { branchPoint } from './branch-point.ts'
import { decide } from './run/decide.ts'
import { firstFacts, planDropped } from './run/first-facts.ts'
import { leftOpenBy } from './run/leave-run.ts'
import { busy, callsPending, notAwaited, parkedRun } from './busy.ts'
import type { Effects } from './effects.ts'
import type { Waiter } from './store/storage-retry.ts'
import type { Conversation } from './conversation.ts'
import { onOtherDevice } from './ownership/elsewhere.ts'
import { awaitsOutput, checkHistory, importFacts, placeHistory } from './place-history.ts'
import type { Admission, ActiveConversation } from './active-conversation.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import { TELL_MODEL, type LeftRuns } from './left-runs.ts'
import type { RunLauncher } from './run-launcher.ts'
import { whenAborted } from '../lib/abort.ts'
import type { Stream } from './stream.ts'

export interface RunsOptions {
  readonly effects: Pick<Effects, 'newId' | 'sleep'>
  readonly registry: ConversationRegistry
  readonly launcher: RunLauncher
  readonly left: LeftRuns
  /** Resumes an open run that nobody else can resume any more. */
  inherit(active: ActiveConversation, agentId: string): Promise<void>
}

/** Begins runs, one at a time in each conversation. A run is stored before it is driven. */
export class Runs {
  readonly #options: RunsOptions

  constructor(options: RunsOptions) {
    this.#options = options
  }

  /** Begins a run. Never rejects: a refusal becomes the run's `failed` end. */
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
      // A repeated request. The first one reports how the run began.
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
      const { message } = command
      // A trigger's message isn't returned for a person to send again.
      const isReturned = !hasBegun && !message?.trigger
      leaveRun(stream, runId, { outcome, ...(isReturned && { message }) })
      void this.#goOnInstead(command).catch(() => undefined)
    }
  }

  /** Resumes another device's open run after both began at once: this device's later claim has fenced off the other. */
  async #goOnInstead(command: StartRun): Promise<void> {
    const active = this.#options.registry.find(command)
    if (!active || active.driver) return
    const { claims, lease, run } = active.conversation
    if (!claims.isShared || run?.end !== null || decide(run) === 'wait') return
    if (lease.epoch === 0 || (await claims.newest()).epoch !== lease.epoch) return
    await this.#options.inherit(active, command.agentId)
  }

  async #commitStart(active: ActiveConversation, command: StartRun): Promise<void> {
    const { conversation } = active
    const { runId, message, limits, branch } = command
    const history = checkHistory(command.history ?? [])
    await active.own(command.parent && { parent: command.parent }, (open) => open.runId === runId)
    try {
      const { run } = conversation
      // Stored by an earlier try, whose answer was lost.
      if (run?.runId === runId) return conversation.publish('taken-up')
      if (run?.end === null) throw busy(command.conversationId)
      const imported = conversation.messages.length === 0 ? this.#placed(history, conversation) : []
      const isAlone = imported.length > 0 && (branch !== undefined || awaitsOutput(imported))
      if (isAlone) await conversation.append(importFacts(imported), { once: true })
      // Counts calls of an imported history, too. The history is stored, and its calls need their outputs first.
      const pending = pendingOf(conversation.state)
      if ((message !== null || branch) && pending.length > 0) throw callsPending(pending)
      // A child run whose call has ended would work for nobody.
      if (command.parent && !(await conversation.isAwaited())) throw notAwaited()
      const place = {
        ...(branch && { parentId: branchPoint(conversation.state, branch) }),
        ...(command.parent && { forCall: true as const }),
      }
      const facts = [
        ...(isAlone ? [] : importFacts(imported)),
        ...firstFacts([message], limits, place),
        ...planDropped(conversation.state, message),
      ]
      await conversation.append(facts, { runId, once: true })
    } catch (error) {
      active.disown()
      throw error
    }
  }

  #placed(history: readonly Message[], conversation: Conversation): readonly Identified<Message>[] {
    return placeHistory(history, {
      newId: this.#options.effects.newId,
      isUsed: (toolCallId) => conversation.hasCallId(toolCallId),
    })
  }

  /**
   * Begins the run as soon as the storage allows. While the storage is full or unreachable, the message is kept. If an
   * answer was lost, the run may have begun. Reporting it as failed would leave it without a driver.
   */
  #admit(active: ActiveConversation, command: StartRun, asked: Asked): Promise<void> {
    const { effects } = this.#options
    const { signal } = asked.admission.stop
    const waiter: Waiter = {
      signal,
      waitsFor: (reason) => reason === 'storage-full' || reason === 'storage-offline',
      onPark: (reason) => parkAdmission(command, asked, reason),
      onContinue: () => continueAdmission(asked),
    }
    const begin = async (onReached: () => void): Promise<void> => {
      for (;;) {
        signal.throwIfAborted()
        // Created before the check, so that no change in between is missed.
        const changed = active.whenChanged()
        try {
          if (await active.inLane(() => this.#begin(active, command, asked))) return
          // The storage works. Now another run has to end, which needs the storage itself.
          onReached()
          await untilIdle(active, command, asked)
        } catch (error) {
          if (!(await comesLater(active, command, error))) throw error
          onReached()
          await untilChanged(changed, signal, effects)
        }
      }
    }
    return active.conversation.storageRetry.persist(begin, { waiter })
  }

  /** Stores and launches the run. False if another run has to end first. */
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
    this.#options.launcher.launch(active, command)
    if (signal.aborted) active.driver?.abort(String(signal.reason))
    return true
  }

  /** Handles a run in the way as `ifBusy` says: throws, waits, or stops that run. True if nothing runs. */
  async #makeRoom(
    active: ActiveConversation,
    { agentId, conversationId, ifBusy }: StartRun,
  ): Promise<boolean> {
    const { conversation } = active
    switch (ifBusy) {
      case 'refuse':
        // A run that is being stopped counts as ended.
        if (active.driver && !active.driver.isStopped) throw busy(conversationId)
        break
      case 'queue':
        // Without a driver, the current run would never end, so it is resumed.
        await conversation.refresh()
        if (conversation.run?.parked) throw parkedRun(conversationId, conversation.run.parked)
        // Another device's run isn't resumed, and isn't claimed while it waits for a person.
        if (!active.driver && (await active.isOpenElsewhere())) throw onOtherDevice(conversationId)
        await this.#options.left.resume(active, agentId, { ...TELL_MODEL, takesOver: false })
        break
      case 'replace':
        await this.#options.left.resume(active, agentId, { ...TELL_MODEL, takesOver: true })
        active.driver?.abort('replaced')
        break
      default:
        ifBusy satisfies never
    }
    return active.driver === null
  }
}

function isKnown({ admissions, driver, conversation }: ActiveConversation, runId: string): boolean {
  return admissions.has(runId) || driver?.runId === runId || conversation.run?.runId === runId
}

/** Ends the run's handles, without storing a fact. */
function leaveRun(
  stream: Stream,
  runId: string,
  end: Pick<DeltaOf<'run-left'>, 'outcome' | 'message'>,
): void {
  stream.delta({ type: 'run-left', runId, ...end })
  stream.flush()
}

/** Ends the page's handles of a run that somebody else has now. The run stays open in the store. */
export function leaveElsewhere(
  { stream, conversationId }: Conversation,
  { runId }: { readonly runId?: string },
  error: unknown,
): RunRef | null {
  const reason = leftOpenBy(null, error)
  if (runId === undefined || reason === null) return null
  leaveRun(stream, runId, { outcome: { outcome: 'aborted', reason } })
  return { conversationId, runId }
}
