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

// Code that loads this part to resume a run needs these, too. A single file compresses better.
export { endedChildren, rejoinChildren } from './rejoin-children.ts'

/** Watches over child runs on this page, by store and child conversation. An aborted watch has ended. */
const watched = new Map<string, AbortController>()

/**
 * Starts the child run of a call, or joins the existing one. The call waits without a lease until the run has ended, on
 * whatever page.
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

/**
 * Resumes the child run of a call, and settles the call once the run has ended. A newer call for the same child
 * replaces the watch of an older one.
 */
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

/** Replaces the previous watch. Nothing is awaited in between, or two watches could begin. */
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

/** Adds the child run to the handle of the calling conversation's open run. */
function addTo({ runs }: AgentParts, { conversationId }: ChildCall, run: Run): void {
  for (const handle of runs.open.values())
    if (handle.run.conversationId === conversationId) handle.children.add(run)
}

/** Resolves once the run is stored. Rejects if it was refused, as there is nothing to wait for. */
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

/** Throws unless both agents have the same store: a call and its child run are stored side by side. */
function refuseOtherStore({ core, options }: SubAgent, parent: AgentParts): void {
  if (storageKey(core.scope().storage) === storageKey(parent.scope().storage)) return
  throw badConfig(`${options.name} must have the storage of the agent that calls it.`)
}
