import type {
  AbortRun,
  CallAnswer,
  RevokeConsent,
  SendMessage,
  WithdrawMessage,
} from '../protocol/commands.ts'
import { OffstageError } from '../protocol/error.ts'
import type { RunEnd } from '../protocol/fact.ts'
import type { ActiveConversation } from './active-conversation.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import type { Effects } from './effects.ts'
import { elsewhere, isElsewhere } from './ownership/elsewhere.ts'
import { revocation } from './run/queued-messages.ts'
import { waitingCall } from './run/answer-call.ts'
import type { RunState } from '../protocol/state.ts'
import type { ConversationScope } from '../protocol/scope.ts'
import type { SentCommand } from './tabs/tab-commands.ts'
import type { TabCommand } from './tabs/tab-messages.ts'

/** How often it is tried while the run goes from one tab to another, and for how long. */
const MAX_ATTEMPTS = 6
const LIMIT_MS = 20_000

export interface RunCommandsOptions {
  readonly registry: ConversationRegistry
  readonly effects: Pick<Effects, 'monotonic' | 'newId'>
  /** Of the page that this worker works for. */
  readonly pageId: string
  /** Goes on with the open run, if there is one; with another device's only if it `isWanted` as it is then. */
  takeUp(
    active: ActiveConversation,
    agentId: string,
    how: { readonly asChild: boolean; readonly isWanted: (run: RunState) => boolean },
  ): Promise<unknown>
  /** Resolves once the open run of a call is driven by somebody, or nobody waits for it; or when the agent is gone. */
  untilDriven(active: ActiveConversation, agentId: string): Promise<void>
}

/**
 * What people say to an open run: that it is to end, and answers to its calls. Whoever drives the run does it:
 * this worker, another tab, or this one once it has taken the run up. As a run may go from one to the other
 * meanwhile, only what is stored counts: until then, whoever has it by now is asked.
 */
export class RunCommands {
  readonly #options: RunCommandsOptions

  constructor(options: RunCommandsOptions) {
    this.#options = options
  }

  async abort({ agentId, runId, reason, error, ...scope }: AbortRun): Promise<boolean> {
    const { registry, effects } = this.#options
    const command = { type: 'abort', runId, reason, ...(error && { error }) } as const
    const active = await registry.take({ agentId, ...scope })
    const admission = active.driver?.runId === runId ? undefined : active.admissions.get(runId)
    if (admission) {
      admission.stop.abort(reason)
      return true
    }
    const sent = { commandId: effects.newId('abort-'), command }
    const isEnded = await active.whileEnding(runId, endOf(command), () =>
      this.#carryOut(active, agentId, sent),
    )
    const { run } = active.conversation
    // Who stops a run that ended just now means what it went on with, too.
    const isFollowed = !isEnded && run?.follows?.runId === runId && run.end === null && !error
    if (isFollowed) await this.abort({ agentId, runId: run.runId, reason, ...scope })
    return isEnded
  }

  async answer(given: CallAnswer): Promise<boolean> {
    const { registry, effects, pageId } = this.#options
    const { agentId, toolCallId, answer } = given
    const active = await registry.ofCall(given)
    if (active === null || active.parked) return false
    const commandId = effects.newId('answer-')
    const sent = { commandId, command: { type: 'answer', toolCallId, answer, pageId } } as const
    const isTaken = await this.#carryOut(active, agentId, sent)
    // Taken, perhaps, by a driver that was gone before it could say so.
    return isTaken || active.conversation.hasAppended(commandId)
  }

  async send({ runId, message, when, ...scope }: SendMessage): Promise<boolean> {
    return this.#say(scope, { type: 'send', runId, message, when })
  }

  async withdraw({ runId, messageId, ...scope }: WithdrawMessage): Promise<boolean> {
    return this.#say(scope, { type: 'withdraw', runId, messageId })
  }

  /** While a run is open, by whoever drives it: a call that is about to start finds it over. */
  async revoke({ consentId, ...scope }: RevokeConsent): Promise<boolean> {
    const { registry } = this.#options
    if ((await (await registry.store(scope)).get(scope.conversationId)) === null) return false
    const active = await registry.take(scope)
    for (let attempt = 1; ; attempt++) {
      const { conversation } = active
      await conversation.refresh()
      conversation.refuseBroken()
      if (!revocation(conversation.state, consentId)) return false
      const { run } = conversation
      const isDone =
        run?.end === null
          ? await this.#say(scope, { type: 'revoke', runId: run.runId, consentId })
          : await revokeBetweenRuns(active, consentId)
      if (isDone) return true
      // A run has ended, or begun, in between.
      if (attempt > MAX_ATTEMPTS) throw elsewhere(scope.conversationId)
    }
  }

  async #say(scope: ConversationScope, command: TabCommand): Promise<boolean> {
    const { registry, effects } = this.#options
    const active = await registry.take(scope)
    // One that is yet to begin is said it then.
    if ('runId' in command) await active.admissions.get(command.runId)?.isOver
    const commandId = effects.newId('message-')
    const isTaken = await this.#carryOut(active, scope.agentId, { commandId, command })
    // Taken, perhaps, by a driver that was gone before it could say so.
    return isTaken || active.conversation.hasAppended(commandId)
  }

  /** What the run that is driven here makes of it; null: it is left open for somebody else. */
  async perform(
    { conversation, driver, driven }: ActiveConversation,
    { command, commandId }: SentCommand,
  ): Promise<boolean | null> {
    if (driver === null) return null
    if (command.type === 'abort') {
      if (driver.runId !== command.runId) return null
      const end = endOf(command)
      driver.end(end)
      return isAs(await driven, end)
    }
    if (command.type !== 'answer' && driver.runId !== command.runId) return null
    if (command.type === 'answer' && command.pageId !== this.#options.pageId)
      requireAnyPage(conversation.run, command)
    const isTaken = driver.isStopped
      ? false
      : await (command.type === 'answer'
          ? driver.answer(command, commandId)
          : driver.steer(command, commandId))
    // One that is stopped takes none: the run's end settles the call, if it is stored.
    if (isTaken !== false || !driver.isStopped) return isTaken
    return (await driven) && false
  }

  async #carryOut(
    active: ActiveConversation,
    agentId: string,
    sent: SentCommand,
  ): Promise<boolean> {
    const { conversation, tabs } = active
    const { conversationId } = conversation
    const { effects, takeUp, untilDriven } = this.#options
    let until = effects.monotonic() + LIMIT_MS
    for (let attempt = 1; ; attempt++) {
      // One that was driven here until now is driven somewhere else presently.
      const isMoving = active.driver !== null || attempt > 1
      const here = await this.perform(active, sent)
      if (here !== null) return here
      await conversation.refresh()
      conversation.refuseBroken()
      const settled = outcomeOf(conversation.run, sent.command)
      if (settled !== null) return settled
      if (attempt > MAX_ATTEMPTS || effects.monotonic() > until) throw elsewhere(conversationId)
      const there = 'error' in sent.command ? null : await tabs.ask(conversationId, sent, isMoving)
      if (typeof there === 'boolean') return there
      if (there === 'left') continue
      try {
        // Whoever ends it asks its model nothing.
        await takeUp(active, agentId, {
          asChild: sent.command.type === 'abort',
          // The other tabs were asked meanwhile, which takes its time.
          isWanted: (run) => outcomeOf(run, sent.command) === null,
        })
        if (active.driver !== null || !(await conversation.isAwaited())) continue
        await untilDriven(active, agentId)
        until = effects.monotonic() + LIMIT_MS
        attempt = 0
      } catch (error) {
        // Somebody else was first: they are asked.
        if (active.parked || !isElsewhere(error)) throw error
      }
    }
  }
}

function revokeBetweenRuns(active: ActiveConversation, consentId: string): Promise<boolean> {
  const { conversation } = active
  return active.inLaneNow(async () => {
    if (active.driver) return false
    const isDone = await active.owning(() =>
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

/** One that is to fail is no other tab's business: it may work there. */
function endOf({ reason, error }: Abort): RunEnd {
  return error ? { outcome: 'failed', error } : { outcome: 'aborted', reason }
}

function isAs(stored: RunEnd | null, end: RunEnd): boolean | null {
  return stored && stored.outcome === end.outcome
}

/** As the store says; null: the run is open, and nothing is decided. */
function outcomeOf(run: RunState | null, command: TabCommand): boolean | null {
  if (command.type === 'answer')
    return waitingCall(run, command.toolCallId, command.answer) ? null : false
  if (run?.runId !== command.runId) return false
  if (command.type === 'abort')
    return run.end && !('error' in command) && run.end.outcome === 'aborted'
  return run.end === null ? null : false
}

/** Throws `other-tab` where what is approved is on this page, and the person who approves it looks at another one. */
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
