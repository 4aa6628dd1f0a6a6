import { whenAborted } from '../lib/abort.ts'
import { randomId } from '../lib/random-id.ts'
import { storageKey } from '../protocol/conversation.ts'
import { OffstageError } from '../protocol/error.ts'
import type { AgentParts } from './agent-parts.ts'
import { badConfig } from './failures.ts'
import { watchChild } from './child-watch.ts'
import type { RunInput } from './options.ts'
import type { Run } from './run.ts'
import { pending, type Pending } from './pending.ts'
import { stringify } from './stringify.ts'
import type { ChildCall } from './joiners.ts'
import type { SubAgent } from './sub-agent-parts.ts'
import type { ToolContext } from './tool.ts'

// Whoever loads this part to resume a run needs these, too. In one file they compress better.
export { endedChildren, rejoinChildren } from './rejoin-children.ts'

/** Those that this page looks after, by the child's conversation and its store. Aborted: no more. */
const watched = new Map<string, AbortController>()

/**
 * Begins the run that works for a call, or joins the one that there is: the call waits without a lease until it
 * has ended, on whatever page.
 */
export async function runChild(
  sub: SubAgent,
  parent: AgentParts,
  { input, context }: { readonly input: unknown; readonly context: ToolContext },
): Promise<Pending> {
  const { conversationId, runId, toolCallId, tainted } = context
  refuseOtherStore(sub, parent)
  const childId = `${conversationId}.${toolCallId}`
  const call = { conversationId, toolCallId, childId }
  const known = await sub.agent.conversations.get(childId)
  if (known === null || known.messages.length === 0) {
    const { maxSteps } = sub.options
    const of = { conversationId, runId, toolCallId }
    const childRunId = randomId()
    const prompt = promptOf(sub, input)
    const announced = { ...parent.scope(), ...of, childConversationId: childId, childRunId }
    await parent.ask('announceChild', announced)
    const run = sub.start(
      { input: prompt, parent: of, runId: childRunId, tainted },
      { conversationId: childId, values: false, ...(maxSteps !== undefined && { maxSteps }) },
    )
    parent.runs.open.get(runId)?.children.add(run)
    await begun(sub, run)
  }
  await joinChild(sub, parent, call)
  return pending({ resumeToken: childId })
}

/** Goes on with the run of a call, and settles the call once it has ended. Of several at once, the newest does. */
export async function joinChild(sub: SubAgent, parent: AgentParts, call: ChildCall): Promise<void> {
  refuseOtherStore(sub, parent)
  const { signal, stop } = newWatch(sub, parent, call)
  const join = async (): Promise<Run | null> => {
    const run = await sub.core.later('resumeChild')(call.childId, call.takesOver)
    if (run) addTo(parent, call, run)
    return run
  }
  const joined = join()
  try {
    await joined
  } finally {
    if (!signal.aborted) watchChild(sub, parent, { call, signal, stop, join, joined })
  }
}

/** In place of the one before. Nothing is waited for meanwhile, or two could begin. */
function newWatch(
  sub: SubAgent,
  parent: AgentParts,
  { childId }: ChildCall,
): { readonly signal: AbortSignal; stop(): void } {
  const key = `${storageKey(parent.scope().storage)} ${childId}`
  watched.get(key)?.abort()
  const watch = new AbortController()
  watched.set(key, watch)
  void whenAborted(watch.signal).then(() => {
    if (watched.get(key) === watch) watched.delete(key)
  })
  for (const { signal } of [parent, sub.core]) void whenAborted(signal).then(() => watch.abort())
  return { signal: watch.signal, stop: () => watch.abort() }
}

/** The open run of the conversation that called shows it. */
function addTo({ runs }: AgentParts, { conversationId }: ChildCall, run: Run): void {
  for (const handle of runs.open.values())
    if (handle.run.conversationId === conversationId) handle.children.add(run)
}

/** Resolves once the run is stored. Rejects when it was refused: then there is nothing to wait for. */
async function begun({ agent }: SubAgent, run: Run): Promise<void> {
  const conversation = agent.conversation(run.conversationId)
  let leave = (): void => undefined
  const stored = new Promise<null>((resolve) => {
    leave = conversation.subscribe(() => {
      if (conversation.getSnapshot().messages.some(({ at }) => at !== undefined)) resolve(null)
    })
  })
  const result = await Promise.race([run.result, stored]).finally(leave)
  if (result?.outcome !== 'failed') return
  const record = await agent.conversations.get(run.conversationId)
  if ((record?.messages.length ?? 0) === 0) throw OffstageError.fromData(result.error)
}

function promptOf({ options }: SubAgent, input: unknown): RunInput {
  if (options.toPrompt) return options.toPrompt(input)
  const { prompt } = (input ?? {}) as { readonly prompt?: unknown }
  return typeof prompt === 'string' ? prompt : (stringify(input) ?? '')
}

/** A call and the run for it are stored side by side. */
function refuseOtherStore({ core, options }: SubAgent, parent: AgentParts): void {
  if (storageKey(core.scope().storage) === storageKey(parent.scope().storage)) return
  throw badConfig(`${options.name} must have the storage of the agent that calls it.`)
}
