import { whenAborted } from '../lib/abort.ts'
import { randomId } from '../lib/random-id.ts'
import { sleepUnlessAborted } from '../lib/sleep.ts'
import { storageKey } from '../protocol/conversation.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { RunUsage, ToolOutput } from '../protocol/message.ts'
import { isLeftOpen, PARENT_ENDED, type RunOutcome } from '../protocol/run.ts'
import type { ConversationSnapshot, ShownCall } from '../conversation/snapshot.ts'
import type { ToolCallStatus } from '../protocol/tool.ts'
import type { Agent } from './agent.ts'
import type { AgentCore } from './agent-core.ts'
import type { AgentParts } from './agent-parts.ts'
import { badConfig } from './failures.ts'
import { errorOutput, formatOutput } from './format-output.ts'
import type { RunInput } from './options.ts'
import type { Run } from './run.ts'
import { pending, type Pending } from './pending.ts'
import { stringify } from './stringify.ts'
import { shownBy } from './shown-by.ts'
import type { ChildCall } from './joiners.ts'
import type { RunStarter } from './start-run.ts'
import type { SubAgentOptions } from './sub-agent-options.ts'
import type { ToolContext } from './tool.ts'
import { isWordless } from './wordless-schema.ts'

/** An agent that is a tool of others. */
export interface SubAgent {
  readonly agent: Agent
  readonly core: AgentCore
  readonly start: RunStarter
  readonly options: SubAgentOptions
}

/** Those that this page looks after, by the child's conversation and its store. Aborted: no more. */
const watched = new Map<string, AbortController>()

/** An answer that could not be given is given again so much later, twice that, and so on. Milliseconds. */
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000

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
  const watch = newWatch(sub, parent, call)
  try {
    const run = await sub.core.later('resumeChild')(call.childId)
    if (run) addTo(parent, call, run)
  } finally {
    if (!watch.signal.aborted) look(sub, parent, { call, watch })
  }
}

/** In place of the one before. Nothing is waited for meanwhile, or two could begin. */
function newWatch(sub: SubAgent, parent: AgentParts, { childId }: ChildCall): AbortController {
  const key = `${storageKey(parent.scope().storage)} ${childId}`
  watched.get(key)?.abort()
  const watch = new AbortController()
  watched.set(key, watch)
  void whenAborted(watch.signal).then(() => {
    if (watched.get(key) === watch) watched.delete(key)
  })
  for (const { signal } of [parent, sub.core]) void whenAborted(signal).then(() => watch.abort())
  return watch
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

interface Watched {
  readonly call: ChildCall
  readonly watch: AbortController
}

/** Looks after both conversations, until the call has ended or the watch is aborted. */
function look(sub: SubAgent, parent: AgentParts, { call, watch }: Watched): void {
  const { signal } = watch
  const child = sub.agent.conversation(call.childId)
  const above = shownBy(parent, call.conversationId)
  let isSettling = false
  const compare = (): void => {
    if (signal.aborted) return
    const waiting = callIn(above.getSnapshot(), call.toolCallId)
    const { ended, runId, taint } = child.getSnapshot()
    if (waiting && isOver(waiting)) {
      watch.abort()
      if (runId !== undefined) void child.abort(PARENT_ENDED).catch(() => undefined)
    } else if (
      waiting?.status === 'suspended' &&
      ended &&
      !isLeftOpen(ended) &&
      !isSettling &&
      !isStopping(parent, call)
    ) {
      isSettling = true
      const isTainted = taint.length > 0
      void settle(sub, parent, { call, ended, isTainted, signal }).then(() => watch.abort())
    }
  }
  const leaving = [above.subscribe(compare), child.subscribe(compare)]
  void whenAborted(signal).then(() => {
    for (const leave of leaving) leave()
  })
  compare()
}

/** The run that called is being ended here: its end settles the call. */
function isStopping({ runs }: AgentParts, { conversationId }: ChildCall): boolean {
  return [...runs.open.values()].some(
    ({ run, abortReason }) => run.conversationId === conversationId && abortReason !== undefined,
  )
}

function callIn({ messages }: ConversationSnapshot, toolCallId: string): ShownCall | undefined {
  for (const { calls = [] } of messages.toReversed()) {
    const call = calls.find((each) => each.toolCallId === toolCallId)
    if (call) return call
  }
  return undefined
}

const ENDS: ReadonlySet<ToolCallStatus> = new Set([
  'succeeded',
  'failed',
  'aborted',
  'interrupted',
  'denied',
  'invalid',
])

function isOver({ status }: ShownCall): boolean {
  return ENDS.has(status)
}

interface Settling {
  readonly call: ChildCall
  readonly ended: RunOutcome & { readonly runId: string }
  /** The agent has read words of others. */
  readonly isTainted: boolean
  readonly signal: AbortSignal
}

/** Answers the call, however often it takes. Never rejects. */
async function settle(
  sub: SubAgent,
  parent: AgentParts,
  { call, ended, isTainted, signal }: Settling,
): Promise<void> {
  const { conversationId, toolCallId } = call
  let usage: RunUsage | undefined
  let output: ToolOutput | undefined
  for (let delay = FIRST_DELAY_MS; !signal.aborted; delay *= 2) {
    try {
      output ??= await outputOf(sub, call, { ...ended, signal, onUsage: (used) => (usage = used) })
      if (signal.aborted) return
      const untrusted = isTainted && mayPassWords(sub, output)
      const answer = {
        type: 'settle',
        output,
        ...(usage && { usage }),
        ...(untrusted && { untrusted }),
      } as const
      await parent.ask('answerCall', { ...parent.scope(), conversationId, toolCallId, answer })
      return
    } catch {
      await sleepUnlessAborted(Math.min(delay, LONGEST_DELAY_MS), signal)
    }
  }
}

interface Ended {
  readonly runId: string
  readonly signal: AbortSignal
  /** Told what it takes to make data of its words. */
  onUsage(usage: RunUsage): void
}

/** Numbers, booleans and words of the app's own are all that comes of an agent that can do nothing but answer so. */
function mayPassWords({ core, options }: SubAgent, output: ToolOutput): boolean {
  const isClosed = options.output !== undefined && isWordless(options.output)
  return !(isClosed && output.type === 'json' && !core.registry.all().length)
}

/** What the calling model is to see. */
async function outputOf(
  sub: SubAgent,
  { childId }: ChildCall,
  { runId, signal, onUsage, ...outcome }: RunOutcome & Ended,
): Promise<ToolOutput> {
  const ref = { runId, conversationId: childId, storage: storageKey(sub.core.scope().storage) }
  const result = sub.core.link().feeds.resultOf(ref, outcome)
  const text = result?.text.trim() ?? ''
  const wrong = failure(outcome, text)
  if (wrong) return wrong
  if (text === '') return failed('empty', 'The agent gave no answer.', false)
  const { output: schema } = sub.options
  if (schema === undefined) return formatOutput({ ok: true, status: 'completed', text })
  try {
    const input = `Give the outcome of this work as data:\n\n${text}`
    const data = await sub.agent.extract({ schema, input, signal, onUsage })
    return await formatOutput({ ok: true, status: 'completed', output: data })
  } catch (thrown) {
    return failed('invalid-output', describeThrown(thrown), true)
  }
}

/** Null: it did what it was to do. */
function failure(outcome: RunOutcome, text: string): ToolOutput | null {
  switch (outcome.outcome) {
    case 'completed':
      return null
    case 'failed':
      return failed('failed', outcome.error.message, outcome.error.retryable)
    case 'aborted':
      return failed('aborted', `It was stopped: ${outcome.reason}`, false)
    case 'max-steps':
    case 'limit':
      return failed(outcome.outcome, `It came to its limit. Its last words: ${text}`, false)
    case 'waiting':
      return failed('waiting', 'It handed its calls to the page.', false)
    default:
      return outcome satisfies never
  }
}

function failed(status: string, error: string, retryable: boolean): ToolOutput {
  return errorOutput('failed', JSON.stringify({ ok: false, status, error, retryable }))
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
