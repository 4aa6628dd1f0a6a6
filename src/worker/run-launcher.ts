import type { WorkerNotice } from '../protocol/notices.ts'
import type { PageApi } from '../protocol/page-calls.ts'
import type { AgentScope, ConversationScope, RunRef } from '../protocol/conversation.ts'
import { UNFINISHED_REASONS, PARENT_ENDED } from '../protocol/run.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import type { ActiveConversation } from './active-conversation.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import type { Effects } from './effects.ts'
import type { Engines } from './model/engine-providers.ts'
import type { ModelMemory } from './model/model-memory.ts'
import type { ResumeOptions } from './run/run-context.ts'
import { RunDriver } from './run/run-driver.ts'
import type { Validator } from './validation/validator.ts'
import { watchedValidator } from './validation/check-input.ts'
import { isSettled } from '../conversation/pending.ts'
import { sumUsage } from '../conversation/usage.ts'
import type { RunUsage } from '../protocol/message.ts'
import type { CallState, ChildState } from '../protocol/state.ts'
import {
  type AdmissionResult,
  withReachedLimit,
  type CountedRun,
  limitOf,
  familyLimits,
  reachedLimit,
  type RunFamily,
  type Spent,
} from './run/counters.ts'
import type { FactDraft } from './store/fact-draft.ts'

type Registry = Pick<ConversationRegistry, 'find' | 'openConversation'>

/** Parent runs with their child runs: adds up what they use, and ends children with their parent. */
export class RunFamilies {
  readonly #registry: Registry
  /** Child runs whose next step is requested from the model but not stored yet, by parent run. */
  readonly #reservedSteps = new Map<string, Set<string>>()

  constructor(registry: Registry) {
    this.#registry = registry
  }

  familyOf(
    active: ActiveConversation,
    { agentId, runId }: { agentId: string; runId: string },
  ): RunFamily {
    const scope = { ...active.scope, agentId }
    const parentRunId = (): string | undefined => active.conversation.parent?.runId
    return {
      admit: async (run) => {
        if (run.forCall && active.conversation.parent) return this.#admitChild(active, scope, run)
        return this.#admitParent(scope, run)
      },
      endStep: () => {
        const reserved = this.#reservedSteps.get(parentRunId() ?? '')
        if (reserved?.delete(runId) && reserved.size === 0)
          this.#reservedSteps.delete(parentRunId() ?? '')
      },
      usageOf: (calls) => calls.flatMap((call) => this.#usageFacts(scope, call)),
      storedUsageOf: async (call, extraUsage) => {
        await this.#openChild(scope, call)?.catch(() => undefined)
        return this.#usageFacts(scope, call, extraUsage)
      },
    }
  }

  /**
   * Visits child runs whose calls are settled, and records the usage that isn't counted yet. `endOrphan` ends a child
   * run that nobody drives.
   */
  async visit(
    { conversation, scope }: ActiveConversation,
    endOrphan: (child: ActiveConversation) => Promise<void>,
  ): Promise<void> {
    for (const call of uncounted(conversation.state.path)) {
      const child = await this.#openChild(scope, call)
      if (child?.conversation.run?.end === null && child.driver === null) await endOrphan(child)
      if (child) await this.handleEnd(child)
    }
  }

  /** Handles the end of a child run. If its call was settled earlier, records the child's usage now. */
  async handleEnd({ conversation, scope }: ActiveConversation): Promise<void> {
    const { parent, run } = conversation
    if (!parent || !run?.forCall || run.end === null) return
    const { agentId, storage } = scope
    const parentActive = await this.#openConversation({ agentId, storage }, parent.conversationId)
    const usageFacts = (): FactDraft[] => {
      const call = uncounted(parentActive.conversation.state.path).find(
        ({ toolCallId }) => toolCallId === parent.toolCallId,
      )
      return call ? this.#usageFacts(parentActive.scope, call) : []
    }
    if (usageFacts().length === 0) return
    const append = (): Promise<unknown> =>
      parentActive.conversation.append(() => (usageFacts().length > 0 ? usageFacts() : null), {
        runId: parent.runId,
        waits: false,
      })
    await parentActive.enqueueNow(() =>
      parentActive.driver ? append() : parentActive.runAsOwner(append),
    )
  }

  async #admitParent(scope: AgentScope, run: CountedRun): Promise<AdmissionResult> {
    const childUsage = await this.#loadChildUsage(scope, run)
    const limit = limitOf(run) ?? reachedLimit(familyLimits(run), [run, ...childUsage()])
    return { type: 'step', run: withReachedLimit(run, limit) }
  }

  async #admitChild(
    { conversation: { conversationId, parent } }: ActiveConversation,
    scope: AgentScope,
    run: CountedRun,
  ): Promise<AdmissionResult> {
    const parentActive = await this.#openConversation(scope, parent?.conversationId ?? '')
    const parentRun = parentActive.conversation.run
    const call = parentRun?.calls.find(({ toolCallId }) => toolCallId === parent?.toolCallId)
    const isOver = parentRun?.runId !== parent?.runId || parentRun?.end !== null
    if (isOver || !call || isSettled(call))
      return { type: 'end', end: { outcome: 'aborted', reason: PARENT_ENDED } }
    // A discussion of the call isn't its child run: it has its own limits.
    if (call.child?.conversationId !== conversationId)
      return { type: 'step', run: withReachedLimit(run, limitOf(run)) }
    const childUsage = await this.#loadChildUsage(scope, parentRun)
    // No await from here until the step is reserved. If several child runs ask at once, each counts the earlier
    // reservations.
    const reserved = this.#reservedSteps.get(parentRun.runId) ?? new Set()
    reserved.delete(run.runId)
    const reservedUsage: Spent = { steps: reserved.size, usage: {}, activeMs: 0 }
    const limit = reachedLimit(familyLimits(parentRun), [parentRun, ...childUsage(), reservedUsage])
    if (limit !== null) return { type: 'end', end: { outcome: 'limit', limit } }
    this.#reservedSteps.set(parentRun.runId, reserved.add(run.runId))
    const { tokens, costUSD } = parentRun.limits
    const limits = {
      ...(tokens !== undefined && { tokens }),
      ...(costUSD !== undefined && { costUSD }),
      ...run.limits,
    }
    return { type: 'step', run: { ...withReachedLimit(run, limitOf(run)), limits } }
  }

  /** Loads the child runs of a run. Returns a function that returns their usage at the time of its call. */
  async #loadChildUsage(
    scope: AgentScope,
    { children = [] }: CountedRun,
  ): Promise<() => readonly Spent[]> {
    const open = children.filter(({ isCounted }) => !isCounted)
    await Promise.all(
      open.map(({ conversationId }) => this.#openConversation(scope, conversationId)),
    )
    return () => children.map((child) => this.#childUsage(scope, child))
  }

  #childUsage(scope: AgentScope, child: ChildState): Spent {
    return (child.isCounted ? null : this.#childRun(scope, child)) ?? child
  }

  /** The child run of a call, if it is loaded here. */
  #childRun(
    { agentId, storage }: AgentScope,
    { conversationId, runId }: Pick<ChildState, 'conversationId' | 'runId'>,
  ): CountedRun | null {
    const run = this.#registry.find({ agentId, storage, conversationId })?.conversation.run
    return run?.runId === runId ? run : null
  }

  #usageFacts(
    scope: AgentScope,
    { child, path }: CallState,
    extraUsage: RunUsage = { modelCalls: 0 },
  ): FactDraft[] {
    const run = child && !child.isCounted ? this.#childRun(scope, child) : null
    if (run === null) return []
    const { steps, activeMs, end } = run
    const usage = sumUsage(run.usage, extraUsage)
    return [{ type: 'child-usage', path, usage, steps, activeMs, ended: end !== null }]
  }

  #openChild(scope: AgentScope, { child }: CallState): Promise<ActiveConversation> | null {
    return child && this.#openConversation(scope, child.conversationId)
  }

  /** Opens a conversation and reads its newest rows. */
  async #openConversation(
    { agentId, storage }: AgentScope,
    conversationId: string,
  ): Promise<ActiveConversation> {
    const scope: ConversationScope = { agentId, storage, conversationId }
    const active = await this.#registry.openConversation(scope)
    await active.conversation.refresh()
    return active
  }
}

/** Settled calls whose child runs have usage that isn't counted yet. */
function uncounted(path: ActiveConversation['conversation']['state']['path']): CallState[] {
  return path.flatMap(({ calls }) =>
    calls.filter((call) => call.child && !call.child.isCounted && isSettled(call)),
  )
}

export interface LauncherOptions {
  readonly page: PageApi
  readonly pageId: string
  readonly providers: ProviderRegistry
  readonly effects: Effects
  readonly memory: ModelMemory
  readonly engines: Engines
  readonly registry: ConversationRegistry
  readonly families: RunFamilies
  readonly validator: Validator
  readonly notify: (notice: WorkerNotice) => void
}

type AgentRun = Pick<RunRef, 'runId'> & { readonly agentId: string }

/** Drives stored runs until their agents are released. */
export class RunLauncher {
  readonly #options: LauncherOptions
  /** Released agents. Runs that they request aren't driven any more. */
  readonly #released = new Set<string>()

  constructor(options: LauncherOptions) {
    this.#options = options
  }

  isReleased(agentId: string): boolean {
    return this.#released.has(agentId)
  }

  /** Drives a run that has just begun; its lease is held. */
  launch(active: ActiveConversation, command: AgentRun): void {
    if (this.#released.has(command.agentId)) return active.releaseOwnership()
    this.drive(active, command, null)
  }

  /**
   * Stops the agent's runs without ending them, and requested runs before they begin. Stopped runs can be resumed
   * later.
   */
  release(agentId: string): void {
    this.#released.add(agentId)
    const { registry } = this.#options
    for (const active of registry.drivenBy(agentId)) active.driver?.release()
    for (const active of registry.all())
      for (const admission of active.admissions.values())
        if (admission.agentId === agentId) admission.stop.abort(UNFINISHED_REASONS.disposed)
  }

  /** `resume`: null for a run that has just begun. */
  drive(
    active: ActiveConversation,
    { agentId, runId }: AgentRun,
    resume: ResumeOptions | null,
  ): void {
    const createDriver = (next: string, resumeOptions: ResumeOptions | null): RunDriver =>
      this.#createDriver(active, { agentId, runId: next }, resumeOptions)
    active.drive(createDriver(runId, resume), (next) => createDriver(next, null))
    if (!active.conversation.run?.forCall) return
    const { families } = this.#options
    // If the usage can't be recorded now, the next opening of the parent conversation does it.
    void active.whenIdle().then(() => families.handleEnd(active).catch(() => undefined))
  }

  #createDriver(
    active: ActiveConversation,
    { agentId, runId }: AgentRun,
    resume: ResumeOptions | null,
  ): RunDriver {
    const { page, pageId, providers, effects, memory, engines } = this.#options
    const shared = { page, pageId, providers, effects, memory, engines }
    const { conversation, leases, tabs } = active
    const family = this.#options.families.familyOf(active, { agentId, runId })
    const isInOtherTab = (toolName: string): Promise<boolean> =>
      tabs.hasTool(conversation.conversationId, toolName)
    const validator = watchedValidator(this.#options.validator, (risk) =>
      this.#options.notify({ type: 'risk', agentId, runId, risk }),
    )
    const { stream } = conversation
    return new RunDriver(
      {
        agentId,
        runId,
        conversation,
        stream,
        validator,
        resume,
        isInOtherTab,
        family,
        ...shared,
      },
      leases,
    )
  }
}
