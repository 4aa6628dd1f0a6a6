import type { RunResult } from '../../../src/index.ts'
import type { PendingCall } from '../../../src/protocol/run.ts'
import type { Followed, Stage } from './stage.ts'

/** A user's answer to a waiting call. False: no answer. */
export type Reply = (on: Stage, call: PendingCall) => Promise<unknown> | false

/** Approves everything. */
const agree: Reply = (on, { kind, toolCallId }) => {
  switch (kind) {
    case 'approval':
      return on.ask('approve', (agent) => agent.approve(toolCallId))
    case 'answer':
      return on.ask('answer', (agent) => agent.answer(toolCallId, 'Yes.'))
    case 'decision':
      return on.ask('resolve', (agent) => agent.resolveInterrupted(toolCallId, 'run-again'))
    default:
      return false
  }
}

/** Replies to each call that waits, once, until the condition holds or the run ends. */
export async function replyUntil(
  on: Stage,
  run: Followed,
  { reply = agree, isOver }: { readonly reply?: Reply; readonly isOver: () => boolean },
): Promise<void> {
  const replied = new Set<string>()
  const open = (): readonly PendingCall[] =>
    on.agent
      .conversation(run.conversationId)
      .getSnapshot()
      .pending.filter(({ toolCallId }) => !replied.has(toolCallId))
  const isDone = (): boolean => run.result !== null || isOver()
  while (!isDone()) {
    await on.until(() => isDone() || open().length > 0)
    if (isDone()) return
    for (const call of open()) {
      replied.add(call.toolCallId)
      await reply(on, call)
    }
  }
}

export async function replyUntilEnd(
  on: Stage,
  run: Followed,
  reply: Reply = agree,
): Promise<RunResult | null> {
  await replyUntil(on, run, { reply, isOver: () => false })
  return run.result
}
