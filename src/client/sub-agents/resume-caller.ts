import { storageKey } from '../../protocol/conversation.ts'
import type { CallerRef } from '../../protocol/page-calls.ts'
import { type AgentParts, agents } from '../api/agent-parts.ts'
import { findChildRunResumer } from '../page-life/child-run-resumers.ts'
import { resumeChildRuns, resumeWithoutChildren } from '../runs/resume-run.ts'

/**
 * Resumes a run whose call uses a sub-agent, and the child runs of that call. `agentId` names the agent to try first.
 * Otherwise uses any agent of this page that has the sub-agent as a tool. Does nothing if there is none.
 */
export async function resumeCaller({
  agentId,
  conversationId,
  toolName,
}: CallerRef): Promise<void> {
  const asking = agents.get(agentId)
  if (!asking) return
  const store = storageKey(asking.scope().storage)
  const isAble = ({ registry, scope, signal }: AgentParts): boolean =>
    !signal.aborted &&
    storageKey(scope().storage) === store &&
    findChildRunResumer(registry.get(toolName)?.tool) !== undefined
  const caller = [asking, ...agents.values()].find(isAble)
  if (caller && (await resumeWithoutChildren(caller, { conversationId })))
    await resumeChildRuns(caller, conversationId)
}
