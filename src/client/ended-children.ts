import { storageKey } from '../protocol/conversation.ts'
import type { RunRef } from '../protocol/scope.ts'
import type { ChildState } from '../protocol/state.ts'
import { adopt } from './adopt.ts'
import type { AgentParts } from './agent-parts.ts'
import type { Run } from './run.ts'
import { shownBy } from './shown-by.ts'

/** The handles of those that worked for a run's calls and have ended. Those that work are joined with their calls. */
export async function endedChildren(agent: AgentParts, ref: RunRef): Promise<readonly Run[]> {
  const children = await childrenOf(agent, ref)
  const runs: Run[] = []
  for (const { conversationId, runId } of children) {
    const command = { ...agent.scope(), conversationId, runId, ...HOW }
    // One that is open waits for its call: null.
    const handle = await adopt(agent, () => agent.ask('resumeRun', command))
    if (handle) runs.push(handle.run)
  }
  return runs
}

const HOW = { interrupted: 'tell-model', waitForToolsMs: 0, afterCrash: false } as const

/** As soon as the conversation is read. */
function childrenOf(
  agent: AgentParts,
  { conversationId, runId }: RunRef,
): Promise<readonly ChildState[]> {
  const shown = shownBy(agent, conversationId)
  return new Promise((resolve) => {
    const look = (): void => {
      if (shown.getSnapshot().status === 'loading') return
      const ref = { storage: storageKey(agent.scope().storage), conversationId }
      const run = agent.link().feeds.find(ref)?.state.run
      leave()
      resolve(run?.runId === runId ? (run.children ?? []) : [])
    }
    const leave = shown.subscribe(look)
    look()
  })
}
