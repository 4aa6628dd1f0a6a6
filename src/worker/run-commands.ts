import type {
  AbortRun,
  CallAnswer,
  RevokeConsent,
  SendMessage,
  WithdrawMessage,
} from '../protocol/worker-calls.ts'
import { OffstageError } from '../protocol/error.ts'
import type { RunEnd } from '../protocol/fact.ts'
import type { ActiveConversation } from './active-conversation.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import type { Effects } from './effects.ts'
import { otherOwnerError, isOtherOwnerError } from './ownership/leases.ts'
import { revocation } from './run/queued-messages.ts'
import { type CommandResult, waitingCall } from './run/approval/answer-call.ts'
import type { RunState } from '../protocol/state.ts'
import type { ConversationScope, RunRef } from '../protocol/conversation.ts'
import type { SentCommand } from './tabs/driving-tab.ts'
import type { TabCommand } from './tabs/tab-messages.ts'
import type { KeepAnswer, KeepOutcomes, NestedAnswer, NestedCall } from '../protocol/composite.ts'
import type { NestedCalls } from './run/step-calls.ts'

/**
 * Answers requests from the functions of composite tools, for a run driven here. Null if the run isn't driven here any
 * more.
 */
export class CompositeCommands {
  readonly #registry: ConversationRegistry

  constructor(registry: ConversationRegistry) {
    this.#registry = registry
  }

  async callTool(call: NestedCall): Promise<NestedAnswer> {
    return (await this.#nestedCalls(call)?.call(call)) ?? null
  }

  async keepOutcomes(request: KeepOutcomes): Promise<KeepAnswer> {
    return (await this.#nestedCalls(request)?.storeOutcomes(request)) ?? null
  }

  #nestedCalls({ runId, ...scope }: ConversationScope & RunRef): NestedCalls | null {
    const driver = this.#registry.find(scope)?.driver
    return driver?.runId === runId ? driver.nested : null
  }
}

/** Limits for retrying a command while its run moves between tabs: attempts, and milliseconds. */
const MAX_ATTEMPTS = 6
const LIMIT_MS = 20_000

export interface RunCommandsOptions {
  readonly registry: ConversationRegistry
  readonly effects: Pick<Effects, 'monotonic' | 'newId'>
  /** Id of this worker's page. */
  readonly pageId: string
  /**
   * Resumes the open run, if there is one. Another device's run is resumed only if `accepts` returns true for its
   * current state.
   */
  resumeOpen(
    active: ActiveConversation,
    agentId: string,
    options: { readonly asChild: boolean; readonly accepts: (run: RunState) => boolean },
  ): Promise<unknown>
  /** Resolves once the open child run is driven, or no call waits for it. Rejects when the agent is released. */
  untilDriven(active: ActiveConversation, agentId: string): Promise<void>
}

/**
 * Applies people's commands to an open run, such as a stop request or an answer to a call. The run's driver carries
 * them out: this worker, another tab, or this worker once it has resumed the run. The run may move meanwhile, so the
 * current driver is asked until the command's result is stored.
 */
export class RunCommands {
  readonly #options: RunCommandsOptions

  constructor(options: RunCommandsOptions) {
    this.#options = options
  }

  async abort({ agentId, runId, reason, error, ...scope }: AbortRun): Promise<boolean> {
    const { registry, effects } = this.#options
    const command = { type: 'abort', runId, reason, ...(error && { error }) } as const
    const active = await registry.openConversation({ agentId, ...scope })
    const admission = active.driver?.runId === runId ? undefined : active.admissions.get(runId)
    if (admission) {
      admission.stop.abort(reason)
      return true
    }
    const sent = { commandId: effects.newId('abort-'), command }
    const isEnded = await active.whileEnding(runId, endOf(command), () =>
      this.#execute(active, agentId, sent),
    )
    const { run } = active.conversation
    // A request to stop a run that has just ended also stops the run that followed it.
    const isFollowed = !isEnded && run?.follows?.runId === runId && run.end === null && !error
    if (isFollowed) await this.abort({ agentId, runId: run.runId, reason, ...scope })
    return isEnded
  }

  async answerCall(request: CallAnswer): Promise<boolean> {
    const { registry, effects, pageId } = this.#options
    const { agentId, toolCallId, answer } = request
    const active = await registry.openForCall(request)
    if (active === null || active.paused) return false
    const commandId = effects.newId('answer-')
    const sent = { commandId, command: { type: 'answer', toolCallId, answer, pageId } } as const
    const isApplied = await this.#execute(active, agentId, sent)
    // The driver may have stored the answer, and vanished before it reported that.
    return isApplied || active.conversation.hasAppended(commandId)
  }

  async sendMessage({ runId, message, when, ...scope }: SendMessage): Promise<boolean> {
    return this.#send(scope, { type: 'send', runId, message, when })
  }

  async withdrawMessage({ runId, messageId, ...scope }: WithdrawMessage): Promise<boolean> {
    return this.#send(scope, { type: 'withdraw', runId, messageId })
  }

  /** Revokes a consent. While a run is open, its driver does so: a call about to start finds the consent revoked. */
  async revokeConsent({ consentId, ...scope }: RevokeConsent): Promise<boolean> {
    const { registry } = this.#options
    if ((await (await registry.store(scope)).get(scope.conversationId)) === null) return false
    const active = await registry.openConversation(scope)
    for (let attempt = 1; ; attempt++) {
      const { conversation } = active
      await conversation.refresh()
      conversation.refuseBroken()
      if (!revocation(conversation.state, consentId)) return false
      const { run } = conversation
      const isDone =
        run?.end === null
          ? await this.#send(scope, { type: 'revoke', runId: run.runId, consentId })
          : await revokeBetweenRuns(active, consentId)
      if (isDone) return true
      // The run ended, or another one began, before the command arrived.
      if (attempt > MAX_ATTEMPTS) throw otherOwnerError(scope.conversationId)
    }
  }

  async #send(scope: ConversationScope, command: TabCommand): Promise<boolean> {
    const { registry, effects } = this.#options
    const active = await registry.openConversation(scope)
    // The requested run must have begun.
    if ('runId' in command) await active.admissions.get(command.runId)?.isOver
    const commandId = effects.newId('message-')
    const isApplied = await this.#execute(active, scope.agentId, { commandId, command })
    // The driver may have stored the command, and vanished before it reported that.
    return isApplied || active.conversation.hasAppended(commandId)
  }

  /** Applies a command to the run driven here. */
  async perform(
    { conversation, driver, runEnd }: ActiveConversation,
    { command, commandId }: SentCommand,
  ): Promise<CommandResult> {
    if (driver === null) return 'other-owner'
    if (command.type === 'abort') {
      if (driver.runId !== command.runId) return 'other-owner'
      const end = endOf(command)
      driver.requestEnd(end)
      return resultOf(await runEnd, end)
    }
    if (command.type !== 'answer' && driver.runId !== command.runId) return 'other-owner'
    if (command.type === 'answer' && command.pageId !== this.#options.pageId)
      requireAnyPage(conversation.run, command)
    const result = driver.isStopped
      ? 'not-waiting'
      : await (command.type === 'answer'
          ? driver.answer(command, commandId)
          : driver.steer(command, commandId))
    // A stopped driver takes no commands. Once its run's end is stored, the call is settled, too.
    if (result !== 'not-waiting' || !driver.isStopped) return result
    return (await runEnd) === null ? 'other-owner' : 'not-waiting'
  }

  async #execute(active: ActiveConversation, agentId: string, sent: SentCommand): Promise<boolean> {
    const { conversation, tabs } = active
    const { conversationId } = conversation
    const { effects, resumeOpen, untilDriven } = this.#options
    let deadline = effects.monotonic() + LIMIT_MS
    for (let attempt = 1; ; attempt++) {
      // If this worker drove the run until now, another tab will drive it soon.
      const isMoving = active.driver !== null || attempt > 1
      const localResult = await this.perform(active, sent)
      if (localResult !== 'other-owner') return localResult === 'applied'
      await conversation.refresh()
      conversation.refuseBroken()
      const stored = storedResult(conversation.run, sent.command)
      if (stored !== 'open') return stored === 'applied'
      if (attempt > MAX_ATTEMPTS || effects.monotonic() > deadline)
        throw otherOwnerError(conversationId)
      const remoteResult =
        'error' in sent.command ? null : await tabs.send(conversationId, sent, isMoving)
      if (remoteResult === 'other-owner') continue
      if (remoteResult !== null) return remoteResult === 'applied'
      try {
        // An abort calls no model, so even a child run may be resumed for it.
        await resumeOpen(active, agentId, {
          asChild: sent.command.type === 'abort',
          // Other tabs were asked meanwhile, so the run is checked again.
          accepts: (run) => storedResult(run, sent.command) === 'open',
        })
        if (active.driver !== null || !(await conversation.isAwaited())) continue
        await untilDriven(active, agentId)
        deadline = effects.monotonic() + LIMIT_MS
        attempt = 0
      } catch (error) {
        // Another tab has taken the run. The next attempt asks that tab.
        if (active.paused || !isOtherOwnerError(error)) throw error
      }
    }
  }
}

function revokeBetweenRuns(active: ActiveConversation, consentId: string): Promise<boolean> {
  const { conversation } = active
  return active.enqueueNow(async () => {
    if (active.driver) return false
    const isDone = await active.runAsOwner(() =>
      conversation.append(
        (run) => (run?.end === null ? null : revocation(conversation.state, consentId)),
        { runId: null },
      ),
    )
    conversation.stream.flush()
    return isDone
  })
}

type Abort = Pick<AbortRun, 'reason' | 'error'>

/** End that an abort causes. With an error, the run fails in this tab only: it may work in another tab. */
function endOf({ reason, error }: Abort): RunEnd {
  return error ? { outcome: 'failed', error } : { outcome: 'aborted', reason }
}

/** Result of a request to end a run. If no end is stored, another owner will resume the run. */
function resultOf(stored: RunEnd | null, end: RunEnd): CommandResult {
  if (stored === null) return 'other-owner'
  return stored.outcome === end.outcome ? 'applied' : 'not-waiting'
}

/** Result of the command according to the store. `open`: the run is open and the command hasn't taken effect. */
function storedResult(
  run: RunState | null,
  command: TabCommand,
): Exclude<CommandResult, 'other-owner'> | 'open' {
  if (command.type === 'answer')
    return waitingCall(run, command.toolCallId, command.answer) ? 'open' : 'not-waiting'
  if (run?.runId !== command.runId) return 'not-waiting'
  if (run.end === null) return 'open'
  const isAborted = command.type === 'abort' && !('error' in command)
  return isAborted && run.end.outcome === 'aborted' ? 'applied' : 'not-waiting'
}

/** Throws `other-tab` if an approved call acts on the page of another tab: a person must approve it there. */
function requireAnyPage(
  run: RunState | null,
  { toolCallId, answer }: Extract<TabCommand, { type: 'answer' }>,
): void {
  if (answer.type !== 'approve' || !waitingCall(run, toolCallId, answer)?.about?.onPage) return
  throw new OffstageError(
    'other-tab',
    'This call acts on a page in another tab. Approve it there.',
    { retryable: true },
  )
}
