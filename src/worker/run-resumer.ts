import type { SupplyOutput } from '../protocol/worker-calls.ts'
import { PARENT_ENDED, type RunLimits } from '../protocol/run.ts'
import type { RunRef } from '../protocol/conversation.ts'
import type { ConversationState, RunState } from '../protocol/state.ts'
import { type ActiveConversation, busyError } from './active-conversation.ts'
import { firstFacts } from './run/queued-messages.ts'
import type { Effects } from './effects.ts'
import type { ResumeOptions } from './run/run-context.ts'
import type { RunLauncher } from './run-launcher.ts'
import { headId, leafUnder } from '../conversation/tree.ts'
import { importedCalls, isSettled } from '../conversation/pending.ts'
import type { Conversation } from './conversation.ts'
import { taintFacts } from './run/settle.ts'
import type { FactDraft } from './store/fact-draft.ts'

interface SuppliedFacts {
  readonly settled: readonly FactDraft[]
  /** Limits of the next run, which begins with this output. Null while other calls wait. */
  readonly nextLimits: RunLimits | null
  /** Last message of the call's branch, if that isn't the active branch. */
  readonly branch: { readonly parentId?: string | null }
}

/** Facts for an output that the page supplies. Null if no call waits for this output. */
function pendingOutput(
  conversation: Pick<Conversation, 'run' | 'limitsAfter' | 'state'>,
  { toolCallId, output, limits }: Pick<SupplyOutput, 'toolCallId' | 'output' | 'limits'>,
): SuppliedFacts | null {
  const { run, state } = conversation
  // Calls of imported messages may wait for outputs, too.
  const imported = importedCalls(state)
  const isTargetCall = (call: { readonly toolCallId: string }): boolean =>
    call.toolCallId === toolCallId
  const calls = run?.calls ?? []
  const call = calls.find(isTargetCall)
  const waitingRun = call?.status === 'awaiting-output' ? run : null
  if (waitingRun === null && !imported.some(isTargetCall)) return null
  const status =
    output.type === 'error' ? 'failed' : output.type === 'denied' ? 'denied' : 'succeeded'
  const offPathNode = state.others.find((node) => node.calls.some(isTargetCall))
  const branch = offPathNode ? { parentId: leafUnder(state, offPathNode.id) } : {}
  const isLast =
    imported.every(isTargetCall) && calls.every((call) => isTargetCall(call) || isSettled(call))
  return {
    // A call from an imported history belongs to no run.
    settled: [
      ...(waitingRun && call
        ? taintFacts({ call, status, output }, branch.parentId ?? headId(state))
        : []),
      {
        type: 'call-settled',
        path: [toolCallId],
        status,
        output,
        runId: waitingRun?.runId ?? null,
      },
    ],
    nextLimits: isLast
      ? waitingRun
        ? conversation.limitsAfter(waitingRun, limits)
        : limits
      : null,
    branch,
  }
}

export interface ResumeRequest extends ResumeOptions {
  /** Run that the page shows. If the run has ended meanwhile, its end is published to the page. */
  readonly runId?: string
  /** True sends the page the current state if the run is already driven here. */
  readonly follows?: boolean
  /** See `ResumeRun`. */
  readonly asChild?: boolean
  /** See `ResumeRun`. `if-unchanged`: only if the other device doesn't write meanwhile. */
  readonly takesOver?: boolean | 'if-unchanged'
  /** Decides whether to resume another device's run in its current state. Default: always. */
  readonly accepts?: (run: RunState) => boolean
}

interface Continuation {
  /** Id of the run to continue: it ended before it was done. */
  readonly from: string
  /** The agent's own limits. */
  readonly limits: RunLimits
}

export const TELL_MODEL: ResumeRequest = {
  interrupted: 'tell-model',
  waitForToolsMs: 10_000,
  takesOver: 'if-unchanged',
}

/** Resumes unfinished runs, or begins runs that continue them. */
export class RunResumer {
  readonly #launcher: RunLauncher
  readonly #effects: Pick<Effects, 'newId'>

  constructor(launcher: RunLauncher, effects: Pick<Effects, 'newId'>) {
    this.#launcher = launcher
    this.#effects = effects
  }

  /**
   * Resumes the open run. Null if there is none. If the run that the page shows has ended, publishes its end to the
   * page.
   */
  async resume(
    active: ActiveConversation,
    agentId: string,
    resume: ResumeRequest,
  ): Promise<RunRef | null> {
    const { conversation } = active
    const { conversationId } = active.scope
    if (active.driver?.isLeaving) await active.whenIdle()
    if (active.driver) return active.refTo(resume)
    await conversation.refresh()
    conversation.refuseBroken()
    await this.endOrphan(active, agentId)
    const newest = conversation.run
    if (newest === null) return null
    if (!resume.asChild && newest.end === null && (await conversation.isAwaited())) return null
    const requestedId = resume.runId ?? newest.runId
    const isPreviousRun = newest.follows?.runId === requestedId
    // The run that the page shows has ended, and a later run began without a request from this page.
    if (requestedId !== newest.runId && !isPreviousRun) return null
    if (newest.end !== null) {
      if (resume.runId === undefined) return null
      conversation.publish('resumed')
      return { conversationId, runId: requestedId }
    }
    const { takesOver = false, accepts = () => true } = resume
    const mayResume = (run: RunState): boolean => takesOver !== false && accepts(run)
    await active.claim({ create: false }, mayResume, takesOver === true)
    const { run } = conversation
    if (run === null || run.end !== null || this.#launcher.isReleased(agentId)) {
      active.releaseOwnership()
      return null
    }
    await conversation.drafts.showStored(run)
    conversation.publish('resumed')
    this.#launcher.drive(active, { agentId, runId: run.runId }, resume)
    // If the requested run has ended, the page gets its end, while the run that followed it is driven.
    return { conversationId, runId: isPreviousRun ? requestedId : run.runId }
  }

  /**
   * Ends a child run whose call has ended, unless it is driven here. Call it within the queue. Throws
   * `conversation-busy` if another tab drives the run: that tab ends it.
   */
  async endOrphan(active: ActiveConversation, agentId: string): Promise<void> {
    const { conversation } = active
    if (active.driver || !isChild(conversation.run) || (await conversation.isAwaited())) return
    await active.claim({ create: false }, () => true)
    const { run } = conversation
    if (!isChild(run) || this.#launcher.isReleased(agentId)) return active.releaseOwnership()
    conversation.publish('resumed')
    const { runId } = run
    await active.whileEnding(runId, { outcome: 'aborted', reason: PARENT_ENDED }, () => {
      this.#launcher.drive(active, { agentId, runId }, TELL_MODEL)
      return active.whenIdle()
    })
  }

  /**
   * Stores an output that a call waits for; call it within the queue. The last output also begins the next run, in the
   * same append. Null if no call waits for the output. Throws `conversation-busy` while a run is open: no row may come
   * between a model request and its answer.
   */
  async supply(
    active: ActiveConversation,
    command: SupplyOutput,
  ): Promise<{ next: RunRef | null } | null> {
    const { conversation } = active
    const { conversationId } = active.scope
    await conversation.refresh()
    conversation.refuseBroken()
    if (conversation.run?.end === null) throw busyError(conversationId)
    if (pendingOutput(conversation, command) === null) return null
    await active.whenIdle()
    await active.claim({ create: false })
    const { agentId, nextRunId: runId } = command
    let limits: RunLimits | null = null
    try {
      const isStored = await conversation.append(
        (run) => {
          if (run?.end === null) throw busyError(conversationId)
          const supplied = pendingOutput(conversation, command)
          if (supplied === null) return null
          const { settled, nextLimits, branch } = supplied
          limits = nextLimits
          return nextLimits === null
            ? settled
            : [...settled, ...firstFacts([null], nextLimits, branch)]
        },
        { runId },
      )
      if (!isStored) return null
    } catch (error) {
      limits = null
      throw error
    } finally {
      if (limits === null) active.releaseOwnership()
    }
    if (limits === null) return { next: null }
    this.#launcher.launch(active, { agentId, runId })
    return { next: { conversationId, runId } }
  }

  /** Describes how to continue the newest run in the store. Null if that run is open or done. */
  async continuationOf(
    active: ActiveConversation,
    agentLimits: RunLimits,
  ): Promise<Continuation | null> {
    const { conversation, driver, paused } = active
    if (driver === null && paused === null) await conversation.refresh()
    const ended = unfinished(conversation.state)
    return ended && { from: ended.runId, limits: agentLimits }
  }

  /**
   * Begins a run that continues `from`, which failed, used up its steps, or reached a limit. The new run has the same
   * limits, counted from zero. If `from` was imported, the agent's own limits apply, too. Null if another run has begun
   * since.
   */
  async continueRun(
    active: ActiveConversation,
    agentId: string,
    { from, limits: agentLimits }: Continuation,
  ): Promise<RunRef | null> {
    const { conversation } = active
    const isNewest = (run: RunState | null): run is RunState => run?.runId === from
    if (!isNewest(conversation.run)) return null
    await active.claim({ create: false })
    const runId = this.#effects.newId('run_')
    let isBegun = false
    try {
      isBegun = await conversation.append(
        (run) =>
          isNewest(run) ? firstFacts([null], conversation.limitsAfter(run, agentLimits)) : null,
        { runId, once: true },
      )
    } finally {
      if (!isBegun) active.releaseOwnership()
    }
    if (!isBegun) return null
    this.#launcher.launch(active, { agentId, runId })
    return { conversationId: active.scope.conversationId, runId }
  }
}

/** Whether the run is an open child run. */
function isChild(run: RunState | null): run is RunState {
  return run?.forCall === true && run.end === null
}

/** The newest run if it failed or reached a limit, and the history wasn't cleared. */
function unfinished({ run, path }: ConversationState): RunState | null {
  switch (path.length > 0 && run?.end?.outcome) {
    case 'failed':
    case 'max-steps':
    case 'limit':
      return run
    default:
      return null
  }
}
