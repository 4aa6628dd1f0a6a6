import type { AgentParts } from './agent-parts.ts'
import { reportThrown } from './failures.ts'
import { joinerOf } from './joiners.ts'
import { loadPart } from './load-part.ts'

/**
 * Of calls that wait for other agents, those go on, too; with `takesOver`, also what another device works on. Resolves when
 * that was tried of each.
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
    // What an agent that is gone didn't come to is another one's to go on with.
    if (!agent.signal.aborted) reportThrown(thrown)
  }
}
