import type { ConversationSnapshot } from '../conversation/snapshot.ts'
import { whenAborted } from '../lib/abort.ts'
import { OffstageError } from '../protocol/error.ts'
import type { AgentParts } from './agent-parts.ts'
import { reportThrown } from './failures.ts'
import { type ChildCall, joinerOf } from './joiners.ts'
import { shownBy } from './shown-by.ts'

interface WaitingCall extends ChildCall {
  readonly toolName: string
}

/** Goes on with the runs that calls of this conversation wait for. Resolves when that was tried of each. */
export async function rejoinChildren(
  agent: AgentParts,
  conversationId: string,
  takesOver: boolean,
): Promise<void> {
  const waiting = waitingIn(await known(agent, conversationId))
  await Promise.all(
    waiting.map(async ({ toolName, ...call }) => {
      const joiner = joinerOf(agent.registry.get(toolName)?.tool)
      await joiner?.join(agent.scope().agentId, { ...call, takesOver }).catch((thrown) => {
        if (!isGone(thrown)) reportThrown(thrown)
      })
    }),
  )
}

/** The conversation as soon as it is read, or as it was when the agent was disposed. */
async function known(agent: AgentParts, conversationId: string): Promise<ConversationSnapshot> {
  const shown = shownBy(agent, conversationId)
  let leave = (): void => undefined
  const isRead = new Promise<void>((resolve) => {
    const look = (): void => {
      if (shown.getSnapshot().status !== 'loading') resolve()
    }
    leave = shown.subscribe(look)
    look()
  })
  await Promise.race([isRead, whenAborted(agent.signal)])
  leave()
  return shown.getSnapshot()
}

function waitingIn({ conversationId, messages }: ConversationSnapshot): readonly WaitingCall[] {
  return messages.flatMap(({ calls = [] }) =>
    calls.flatMap(({ child, status, toolCallId, toolName }) =>
      child && status === 'suspended'
        ? [{ conversationId, toolCallId, toolName, childId: child.conversationId }]
        : [],
    ),
  )
}

/** Of one of the two agents that was disposed, which is nobody's fault. */
function isGone(thrown: unknown): boolean {
  return OffstageError.is(thrown) && thrown.code === 'disposed'
}
