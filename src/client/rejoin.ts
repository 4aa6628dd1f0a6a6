import type { AgentParts } from './agent-parts.ts'
import { reportThrown } from './failures.ts'
import { joinerOf } from './joiners.ts'
import { loadPart } from './load-part.ts'

/**
 * Resumes the child runs that calls of the conversation wait for. With `takesOver`, also those that another device
 * drives. Resolves once each was tried.
 */
export async function rejoin(
  agent: AgentParts,
  conversationId: string,
  takesOver = false,
): Promise<void> {
  if (!agent.registry.all().some(({ tool }) => joinerOf(tool))) return
  try {
    const { rejoinChildren } = await loadPart(() => import('./child-runs.ts'))
    await rejoinChildren(agent, conversationId, takesOver)
  } catch (thrown) {
    // Another agent resumes what a disposed one has left.
    if (!agent.signal.aborted) reportThrown(thrown)
  }
}
