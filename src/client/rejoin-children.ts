import type { ConversationSnapshot } from '../conversation/snapshot.ts'
import { whenAborted } from '../lib/abort.ts'
import { storageKey } from '../protocol/conversation.ts'
import { OffstageError } from '../protocol/error.ts'
import type { RunRef } from '../protocol/scope.ts'
import { adopt } from './adopt.ts'
import type { AgentParts } from './agent-parts.ts'
import { reportThrown } from './failures.ts'
import { type ChildCall, joinerOf } from './joiners.ts'
import type { Run } from './run.ts'
import { shownBy } from './shown-by.ts'

interface WaitingCall extends ChildCall {
  readonly toolName: string
}

/** Resumes the child runs that calls of this conversation wait for. Resolves once each was tried. */
export async function rejoinChildren(
  agent: AgentParts,
  conversationId: string,
  takesOver: boolean,
): Promise<void> {
  const waiting = await onceRead(agent, conversationId, waitingIn)
  await Promise.all(
    waiting.map(async ({ toolName, ...call }) => {
      const joiner = joinerOf(agent.registry.get(toolName)?.tool)
      await joiner?.join(agent.scope().agentId, { ...call, takesOver }).catch((thrown) => {
        if (!isGone(thrown)) reportThrown(thrown)
      })
    }),
  )
}

/** Returns the handles of a run's child runs that have ended. Active ones are joined with their calls. */
export async function endedChildren(
  agent: AgentParts,
  { conversationId, runId }: RunRef,
): Promise<readonly Run[]> {
  const children = await onceRead(agent, conversationId, () => {
    const ref = { storage: storageKey(agent.scope().storage), conversationId }
    const run = agent.link().feeds.find(ref)?.state.run
    return run?.runId === runId ? (run.children ?? []) : []
  })
  const runs: Run[] = []
  for (const child of children) {
    const command = {
      ...agent.scope(),
      conversationId: child.conversationId,
      runId: child.runId,
      ...HOW,
    }
    // Null for a child run that is still open, as its call waits.
    const handle = await adopt(agent, () => agent.ask('resumeRun', command))
    if (handle) runs.push(handle.run)
  }
  return runs
}

const HOW = { interrupted: 'tell-model', waitForToolsMs: 0, afterCrash: false } as const

/** Reads the conversation once it is loaded, or as it was when the agent was disposed. */
async function onceRead<Value>(
  agent: AgentParts,
  conversationId: string,
  read: (snapshot: ConversationSnapshot) => Value,
): Promise<Value> {
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
  const value = read(shown.getSnapshot())
  leave()
  return value
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

/** True if one of the two agents was disposed, which is no error. */
function isGone(thrown: unknown): boolean {
  return OffstageError.is(thrown) && thrown.code === 'disposed'
}
