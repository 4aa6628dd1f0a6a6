import type { ConversationSnapshot } from '../conversation/snapshot.ts'
import type { AgentParts } from './agent-parts.ts'
import { reportThrown } from './failures.ts'
import { shownBy } from './shown-by.ts'
import { joinerOf } from './joiners.ts'

/** Goes on with the runs that calls of this conversation wait for, as soon as it is read. */
export function rejoinChildren(agent: AgentParts, conversationId: string): void {
  const shown = shownBy(agent, conversationId)
  const look = (): void => {
    const snapshot = shown.getSnapshot()
    if (snapshot.status === 'loading') return
    leave()
    for (const { toolCallId, toolName, childId } of waiting(snapshot)) {
      const joiner = joinerOf(agent.registry.get(toolName)?.tool)
      joiner
        ?.join(agent.scope().agentId, { conversationId, toolCallId, childId })
        .catch(reportThrown)
    }
  }
  const leave = shown.subscribe(look)
  look()
}

function waiting({ messages }: ConversationSnapshot): readonly {
  readonly toolCallId: string
  readonly toolName: string
  readonly childId: string
}[] {
  return messages.flatMap(({ calls = [] }) =>
    calls.flatMap(({ child, status, toolCallId, toolName }) =>
      child && status === 'suspended'
        ? [{ toolCallId, toolName, childId: child.conversationId }]
        : [],
    ),
  )
}
