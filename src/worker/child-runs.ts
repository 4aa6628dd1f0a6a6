import { isSettled } from '../conversation/pending.ts'
import { OffstageError } from '../protocol/error.ts'
import type { AnnounceChild } from '../protocol/commands.ts'
import { MOST_CHILDREN } from '../protocol/run.ts'
import type { ConversationRegistry } from './conversation-registry.ts'

/**
 * Records in the parent conversation that a call is about to start a child run. Throws `invalid-input` if the run
 * isn't driven here, has ended, has too many children or is a child itself, or if the call is settled.
 */
export async function announceChild(
  registry: Pick<ConversationRegistry, 'find'>,
  { runId, toolCallId, childConversationId, childRunId, ...scope }: AnnounceChild,
): Promise<void> {
  const found = registry.find(scope)
  const conversation = found?.conversation
  if (!conversation || found.driver?.runId !== runId) throw refused(NOT_DRIVEN)
  if (conversation.parent) throw refused(TOO_DEEP)
  let wrong: string | null = NOT_DRIVEN
  await conversation.append(
    (run) => {
      const isOpen = run?.runId === runId && run.end === null
      const call = isOpen ? run.calls.find((each) => each.toolCallId === toolCallId) : null
      if (!call || isSettled(call)) return null
      const isKnown = call.child?.conversationId === childConversationId
      const most = run?.limits.maxChildren ?? MOST_CHILDREN
      wrong = isKnown || (run?.children?.length ?? 0) < most ? null : tooMany(most)
      if (wrong !== null || (isKnown && call.child.runId === childRunId)) return null
      return [{ type: 'child-started', path: call.path, childConversationId, childRunId }]
    },
    { runId, waits: false },
  )
  if (wrong !== null) throw refused(wrong)
}

const NOT_DRIVEN = 'The call that this run is for has ended, or its run is not driven here.'
const TOO_DEEP = 'An agent that is called as a tool calls no further agents.'

function tooMany(most: number): string {
  return `A run calls other agents ${most} times at most.`
}

function refused(message: string): OffstageError {
  return new OffstageError('invalid-input', message)
}
