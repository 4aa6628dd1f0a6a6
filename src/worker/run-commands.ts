import type { AbortRun, CallAnswer } from '../protocol/commands.ts'
import type { RunEnd } from '../protocol/fact.ts'
import type { ActiveConversation } from './active-conversation.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import type { Effects } from './effects.ts'
import { elsewhere, isElsewhere } from './ownership/elsewhere.ts'
import { type PersonAnswer, waitingCall } from './run/answer-call.ts'
import type { SentCommand } from './tabs/tab-commands.ts'

/** How often it is tried while the run goes from one tab to another, and for how long. */
const MAX_ATTEMPTS = 6
const LIMIT_MS = 20_000

export interface RunCommandsOptions {
  readonly registry: ConversationRegistry
  readonly effects: Pick<Effects, 'monotonic' | 'newId'>
  /** Goes on with the open run, if there is one. */
  takeUp(active: ActiveConversation, agentId: string): Promise<unknown>
}

/** A command on an open run, for whoever drives it. */
interface Errand {
  readonly agentId: string
  /** By the driver of this worker; null: it leaves the run open for somebody else, or there is none. */
  here(): Promise<boolean | null>
  /** What the store says that it came to; null: the run is open, and nothing is decided. */
  settled(): Promise<boolean | null>
  /** For other tabs; null: it is none of their business. */
  readonly sent: SentCommand | null
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

  async abort(command: AbortRun): Promise<boolean> {
    const { registry, effects } = this.#options
    const { agentId, runId, reason, error } = command
    const end: RunEnd = error ? { outcome: 'failed', error } : { outcome: 'aborted', reason }
    const active = await registry.take(command)
    const admission = active.driver?.runId === runId ? undefined : active.admissions.get(runId)
    if (admission) {
      admission.stop.abort(reason)
      return true
    }
    const sent = {
      commandId: effects.newId('abort-'),
      command: { type: 'abort', runId, reason },
    } as const
    return active.whileEnding(runId, end, () =>
      this.#carryOut(active, {
        agentId,
        sent: error ? null : sent,
        here: () => endRun(active, runId, end),
        settled: async () => {
          const { run } = active.conversation
          if (run?.runId !== runId) return false
          return run.end && run.end.outcome === end.outcome
        },
      }),
    )
  }

  async answer(command: CallAnswer): Promise<boolean> {
    const { registry, effects } = this.#options
    const { agentId, toolCallId, answer } = command
    const active = await registry.ofCall(command)
    if (active === null || active.parked) return false
    const { conversation } = active
    const commandId = effects.newId('answer-')
    const sent = { commandId, command: { type: 'answer', toolCallId, answer } } as const
    const isTaken = await this.#carryOut(active, {
      agentId,
      sent,
      here: () => this.perform(active, sent),
      settled: async () => (waitingCall(conversation.run, toolCallId, answer) ? null : false),
    })
    // Taken, perhaps, by a driver that was gone before it could say so.
    return isTaken || conversation.hasAppended(commandId)
  }

  /** What the run that is driven here makes of it; null: it is left open for somebody else. */
  async perform(
    active: ActiveConversation,
    { command, commandId }: SentCommand,
  ): Promise<boolean | null> {
    switch (command.type) {
      case 'answer': {
        const { toolCallId, answer } = command
        return giveAnswer(active, { toolCallId, answer, answerId: commandId })
      }
      case 'abort': {
        const { runId, reason } = command
        return endRun(active, runId, { outcome: 'aborted', reason })
      }
      default:
        return command satisfies never
    }
  }

  async #carryOut(active: ActiveConversation, errand: Errand): Promise<boolean> {
    const { conversation } = active
    const { effects, takeUp } = this.#options
    const until = effects.monotonic() + LIMIT_MS
    for (let attempt = 1; ; attempt++) {
      // One that was driven here until now is driven somewhere else presently.
      const isMoving = active.driver !== null || attempt > 1
      const here = await errand.here()
      if (here !== null) return here
      await conversation.refresh()
      conversation.refuseBroken()
      const settled = await errand.settled()
      if (settled !== null) return settled
      if (attempt > MAX_ATTEMPTS || effects.monotonic() > until)
        throw elsewhere(conversation.conversationId)
      const there = await this.#askDriver(active, errand, isMoving)
      if (typeof there === 'boolean') return there
      if (there === 'left') continue
      try {
        await takeUp(active, errand.agentId)
      } catch (error) {
        // Somebody else was first: they are asked.
        if (active.parked || !isElsewhere(error)) throw error
      }
    }
  }

  async #askDriver(
    { conversation: { conversationId }, tabs }: ActiveConversation,
    { sent }: Errand,
    isMoving: boolean,
  ): Promise<boolean | 'left' | null> {
    if (sent === null) return null
    return isMoving ? tabs.askAnew(conversationId, sent) : tabs.ask(conversationId, sent)
  }
}

async function endRun(
  { driver, driven }: ActiveConversation,
  runId: string,
  end: RunEnd,
): Promise<boolean | null> {
  if (driver?.runId !== runId) return null
  driver.end(end)
  const stored = await driven
  return stored && stored.outcome === end.outcome
}

async function giveAnswer(
  { driver, driven }: ActiveConversation,
  given: PersonAnswer,
): Promise<boolean | null> {
  if (driver === null) return null
  const isTaken = driver.isStopped ? false : await driver.answer(given)
  // One that is stopped takes none: the run's end settles the call, if it is stored.
  if (isTaken !== false || !driver.isStopped) return isTaken
  return (await driven) && false
}
