import type { WorkerNotice } from '../protocol/notices.ts'
import type { PageApi } from '../protocol/page-calls.ts'
import type { RunRef } from '../protocol/scope.ts'
import { LEFT_OPEN } from '../protocol/run.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import type { ActiveConversation } from './active-conversation.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import type { Effects } from './effects.ts'
import type { Engines } from './model/engines.ts'
import type { ModelMemory } from './model/model-memory.ts'
import type { ResumeOptions } from './run/run-context.ts'
import type { RunFamilies } from './run-families.ts'
import { RunDriver } from './run/run-driver.ts'
import type { Validator } from './validation/validator.ts'
import { watchedValidator } from './validation/watched-validator.ts'

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

/** Drives stored runs while their agents exist. */
export class RunLauncher {
  readonly #options: LauncherOptions
  /** Released agents. Runs requested in their name aren't driven any more. */
  readonly #released = new Set<string>()

  constructor(options: LauncherOptions) {
    this.#options = options
  }

  isReleased(agentId: string): boolean {
    return this.#released.has(agentId)
  }

  /** Drives a run that has just begun; its lease is held. */
  launch(active: ActiveConversation, command: AgentRun): void {
    if (this.#released.has(command.agentId)) return active.disown()
    this.drive(active, command, null)
  }

  /** Stops the agent's runs without ending them, also those about to begin. They can be resumed later. */
  release(agentId: string): void {
    this.#released.add(agentId)
    const { registry } = this.#options
    for (const active of registry.drivenBy(agentId)) active.driver?.release()
    for (const active of registry.all())
      for (const admission of active.admissions.values())
        if (admission.agentId === agentId) admission.stop.abort(LEFT_OPEN.disposed)
  }

  /** `resume`: null when the run has just begun. */
  drive(
    active: ActiveConversation,
    { agentId, runId }: AgentRun,
    resume: ResumeOptions | null,
  ): void {
    const driverOf = (next: string, how: ResumeOptions | null): RunDriver =>
      this.#driverOf(active, { agentId, runId: next }, how)
    active.drive(driverOf(runId, resume), (next) => driverOf(next, null))
    if (!active.conversation.run?.forCall) return
    const { families } = this.#options
    // If the usage can't be noted now, it is when the call's conversation is opened next.
    void active.idle().then(() => families.ended(active).catch(() => undefined))
  }

  #driverOf(
    active: ActiveConversation,
    { agentId, runId }: AgentRun,
    resume: ResumeOptions | null,
  ): RunDriver {
    const { page, pageId, providers, effects, memory, engines } = this.#options
    const shared = { page, pageId, providers, effects, memory, engines }
    const { conversation, ownership, tabs } = active
    const family = this.#options.families.of(active, { agentId, runId })
    const isElsewhere = (toolName: string): Promise<boolean> =>
      tabs.hasTool(conversation.conversationId, toolName)
    const validator = watchedValidator(this.#options.validator, (risk) =>
      this.#options.notify({ type: 'risk', agentId, runId, risk }),
    )
    const { stream } = conversation
    return new RunDriver(
      { agentId, runId, conversation, stream, validator, resume, isElsewhere, family, ...shared },
      ownership,
    )
  }
}
