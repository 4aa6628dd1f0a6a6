import { storageKey } from '../protocol/conversation.ts'
import type { CallerRef } from '../protocol/questions.ts'
import type { AgentParts } from './agent-parts.ts'
import { agents } from './agents.ts'
import { joinerOf } from './joiners.ts'
import { rejoin } from './rejoin.ts'
import { takeUpRun } from './resume-run.ts'

/**
 * Goes on with a run whose call asked an agent, and with what works for that call: with the agent of this page that
 * has it as a tool. Does nothing where none has. `agentId`: of the agent that asks for it.
 */
export async function goOnWithCaller({
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
    joinerOf(registry.get(toolName)?.tool) !== undefined
  const caller = [asking, ...agents.values()].find(isAble)
  if (caller && (await takeUpRun(caller, { conversationId }))) await rejoin(caller, conversationId)
}
