import { whenAborted } from '../../lib/abort.ts'
import { randomId } from '../../lib/random-id.ts'
import { type RunRef, storageKey } from '../../protocol/conversation.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { type AgentParts, agents } from '../api/agent-parts.ts'
import { badConfig, reportThrown } from '../api/failures.ts'
import type { RunInput, SubAgentOptions } from '../api/options.ts'
import type { Run } from '../runs/run.ts'
import { pending, type Pending } from '../runs/pending.ts'
import { errorOutput, formatOutput, stringify } from '../execution/format-output.ts'
import { type ChildCall, findChildRunResumer } from '../page-life/child-run-resumers.ts'
import type { ToolContext } from '../tools/tool.ts'
import {
  type ConversationSnapshot,
  emptySnapshot,
  type ShownCall,
} from '../../conversation/snapshot.ts'
import { adopt, resumeChildRuns, resumeWithoutChildren } from '../runs/resume-run.ts'
import { isSettledStatus } from '../../conversation/pending.ts'
import { sleepUnlessAborted } from '../../lib/sleep.ts'
import type { RunUsage, ToolOutput } from '../../protocol/message.ts'
import { DELETED, isUnfinished, PARENT_ENDED, type RunOutcome } from '../../protocol/run.ts'
import type { Conversation, Agent } from '../api/agent.ts'
import { createSnapshotStore, type SnapshotStore } from '../runs/snapshot-store.ts'
import { isRecord } from '../../lib/is-record.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import { jsonSchemaOf, type StandardSchema } from '../tools/standard-schema.ts'
import { loadPart } from '../api/load-part.ts'
import type { CallerRef } from '../../protocol/page-calls.ts'
import type { AgentCore } from '../api/agent-core.ts'
import type { RunStarter } from '../runs/agent-runs.ts'

/** An agent's view of a conversation, for use inside the client. */
function createView(
  parent: AgentParts,
  conversationId: string,
): SnapshotStore<ConversationSnapshot> {
  return createSnapshotStore(emptySnapshot(conversationId, 'loading'), {
    isStarted: () => true,
    open: async (listeners, first) => {
      const { ConversationView } = await loadPart(() => import('../views/lazy-views.ts'))
      return new ConversationView(parent, first, listeners)
    },
    failed: () => emptySnapshot(conversationId, 'idle'),
  })
}

/**
 * True if values of the schema can't contain free text, only numbers, booleans, null and values that the schema lists.
 */
export function hasNoFreeText(schema: JsonSchema | StandardSchema): boolean {
  try {
    return isClosed(jsonSchemaOf(schema, 'of an output'))
  } catch {
    return false
  }
}

/** Maximum length of arrays: more numbers or listed values could spell a text. */
const MAX_ITEMS = 20

const CLOSED_TYPES: ReadonlySet<unknown> = new Set(['number', 'integer', 'boolean', 'null'])

function isClosed(schema: unknown): boolean {
  if (schema === false) return true
  if (!isRecord(schema)) return false
  if (Array.isArray(schema['enum']) || 'const' in schema) return true
  const choices = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices)) return choices.every(isClosed)
  const types: readonly unknown[] = [schema['type']].flat()
  return types.length > 0 && types.every((type) => isClosedAs(type, schema))
}

function isClosedAs(type: unknown, schema: { readonly [key: string]: unknown }): boolean {
  switch (type) {
    case 'object': {
      const { properties = {}, additionalProperties, patternProperties } = schema
      // A property name that the schema doesn't define is free text, too.
      if (additionalProperties !== false || patternProperties !== undefined) return false
      return isRecord(properties) && Object.values(properties).every(isClosed)
    }
    case 'array': {
      const { items, prefixItems = [], maxItems } = schema
      const isShort = items === false || (typeof maxItems === 'number' && maxItems <= MAX_ITEMS)
      return isShort && Array.isArray(prefixItems) && prefixItems.every(isClosed) && isClosed(items)
    }
    default:
      return CLOSED_TYPES.has(type)
  }
}

interface OutputOptions {
  readonly runId: string
  readonly signal: AbortSignal
  /** Called with the usage of the model call that converts the agent's text to data. */
  onUsage(usage: RunUsage): void
}

/**
 * Child conversations whose extraction has lost its worker once. If that happens again, the extraction may be the
 * cause, and the call fails.
 */
const interruptedIds = new Set<string>()

/** Returns the output of the call, which the calling model gets. */
async function outputOf(
  sub: SubAgent,
  { childId }: ChildCall,
  { runId, signal, onUsage, ...outcome }: RunOutcome & OutputOptions,
): Promise<ToolOutput> {
  const ref = { runId, conversationId: childId, storage: storageKey(sub.core.scope().storage) }
  const result = sub.core.link().feeds.resultOf(ref, outcome)
  const text = result?.text.trim() ?? ''
  const errorResult = failure(outcome, text)
  if (errorResult) return errorResult
  if (text === '') return failed('empty', 'The agent gave no answer.', false)
  const { output: schema } = sub.options
  if (schema === undefined) return formatOutput({ ok: true, status: 'completed', text })
  try {
    const input = `Give the outcome of this work as data:\n\n${text}`
    const data = await sub.agent.extract({ schema, input, signal, onUsage })
    return await formatOutput({ ok: true, status: 'completed', output: data })
  } catch (thrown) {
    // Throws once, to try again: the page may have ended the worker itself, for the back/forward cache.
    if (
      (thrown as Partial<OffstageError> | null)?.code === 'worker-lost' &&
      !interruptedIds.has(childId)
    ) {
      interruptedIds.add(childId)
      throw thrown
    }
    return failed('invalid-output', describeThrown(thrown), true)
  }
}

/**
 * Whether the output may carry untrusted content from the child conversation. If that conversation is tainted, only
 * output without free text from an agent without tools is safe.
 */
function mayPassUntrusted(
  { agent, core, options }: SubAgent,
  { childId }: ChildCall,
  output: ToolOutput,
): boolean {
  if (agent.conversation(childId).getSnapshot().taint.length === 0) return false
  const isClosed = options.output !== undefined && hasNoFreeText(options.output)
  return !(isClosed && output.type === 'json' && core.registry.all().length === 0)
}

/** Returns the error output for a run that didn't succeed. Null for a success. */
function failure(outcome: RunOutcome, text: string): ToolOutput | null {
  switch (outcome.outcome) {
    case 'completed': {
      const { finishReason } = outcome
      if (finishReason === undefined || text === '') return null
      return failed(finishReason, `The answer is cut off: ${text}`, false)
    }
    case 'failed':
      return failed('failed', outcome.error.message, outcome.error.retryable)
    case 'aborted':
      return failed('aborted', `The run stopped: ${outcome.reason}`, false)
    case 'max-steps':
    case 'limit':
      return failed(outcome.outcome, `The agent hit its limit. Its last words: ${text}`, false)
    case 'waiting':
      return failed('waiting', 'The run waits for call outputs.', false)
    default:
      return outcome satisfies never
  }
}

function failed(status: string, error: string, retryable: boolean): ToolOutput {
  return errorOutput('failed', JSON.stringify({ ok: false, status, error, retryable }))
}

/** Delay before a failed attempt is repeated. Doubles with each attempt. Milliseconds. */
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
/** How long this page lets another page, which drove the run, settle the call first. Milliseconds. */
const OTHER_PAGE_MS = 10_000

interface WatchedChild {
  readonly call: ChildCall
  /** Ends the watch when aborted. */
  readonly signal: AbortSignal
  stop(): void
  /** Resumes the run, unless another page drives it. */
  join(): Promise<Run | null>
  /** The first attempt to resume. */
  readonly joined: Promise<Run | null>
}

/**
 * Watches the parent and child conversation until the call has ended or the signal aborts. Resumes the child run if
 * nobody drives it, and settles the call when the run has ended.
 */
function watchChild(sub: SubAgent, parent: AgentParts, watched: WatchedChild): void {
  new ChildWatch(sub, parent, watched).start()
}

class ChildWatch {
  readonly #sub: SubAgent
  readonly #parent: AgentParts
  readonly #watched: WatchedChild
  readonly #child: Conversation
  readonly #parentView: SnapshotStore<ConversationSnapshot>
  #isSettling = false
  #isJoining = false
  /** This page's newest handle has ended, but the run is still open. */
  #isLeft = false
  /** Another page was the last to drive the run. */
  #isElsewhere = false

  constructor(sub: SubAgent, parent: AgentParts, watched: WatchedChild) {
    this.#sub = sub
    this.#parent = parent
    this.#watched = watched
    this.#child = sub.agent.conversation(watched.call.childId)
    this.#parentView = createView(parent, watched.call.conversationId)
  }

  start(): void {
    const { signal, joined } = this.#watched
    const check = (): void => this.#check()
    const unsubscribers = [this.#parentView.subscribe(check), this.#child.subscribe(check)]
    void whenAborted(signal).then(() => {
      for (const unsubscribe of unsubscribers) unsubscribe()
    })
    void this.#noteEnd(joined)
    check()
  }

  #check(): void {
    const { call, signal, stop } = this.#watched
    if (signal.aborted) return
    const parentCall = findCall(this.#parentView.getSnapshot(), call.toolCallId)
    const snapshot = this.#child.getSnapshot()
    const { ended, runId, status, ownership } = snapshot
    if (runId !== undefined && status === 'running')
      this.#isElsewhere = ownership === 'other-tab' || ownership === 'other-device'
    if (parentCall && isSettledStatus(parentCall.status)) {
      stop()
      if (runId !== undefined) void this.#child.abort(PARENT_ENDED).catch(() => undefined)
      return
    }
    const isDue = parentCall?.status === 'suspended' && !this.#isSettling
    if (!isDue || isStopping(this.#parent, call)) return
    if (ended && !isUnfinished(ended)) void this.#settle(ended)
    else if (isEmpty(snapshot)) void this.#endDeleted()
    else if (!this.#isJoining && (this.#isLeft || isUndriven(snapshot))) void this.#resumeChild()
  }

  async #noteEnd(joined: Promise<Run | null>): Promise<void> {
    this.#isLeft = false
    try {
      const result = await (await joined)?.result
      this.#isLeft = result !== undefined && isUnfinished(result)
    } catch {
      this.#isLeft = true
    }
    if (this.#isLeft) this.#check()
  }

  async #resumeChild(): Promise<void> {
    const { signal, join } = this.#watched
    this.#isJoining = true
    for (let delay = FIRST_DELAY_MS; !signal.aborted; delay *= 2) {
      await sleepUnlessAborted(Math.min(delay, LONGEST_DELAY_MS), signal)
      if (signal.aborted || !(this.#isLeft || isUndriven(this.#child.getSnapshot()))) break
      const joined = join()
      void this.#noteEnd(joined)
      await joined.catch(() => undefined)
    }
    this.#isJoining = false
  }

  async #settle(ended: Settlement['ended']): Promise<void> {
    const { call, signal, stop } = this.#watched
    this.#isSettling = true
    if (this.#isElsewhere) await sleepUnlessAborted(OTHER_PAGE_MS, signal)
    await settle(this.#sub, this.#parent, { call, ended, signal })
    stop()
  }

  async #endDeleted(): Promise<void> {
    const { call, signal } = this.#watched
    this.#isSettling = true
    const isDeleted = await hasNoRun(this.#sub, call).catch(() => false)
    this.#isSettling = false
    if (isDeleted && !signal.aborted)
      await this.#settle({ runId: '', outcome: 'aborted', reason: DELETED })
  }
}

/** True for an open run that nobody drives. */
function isUndriven({ ended, runId, status }: ConversationSnapshot): boolean {
  return ended ? isUnfinished(ended) : runId !== undefined && status === 'idle'
}

/** True if the conversation no longer shows its run. */
function isEmpty({ status, runId, ended, error }: ConversationSnapshot): boolean {
  return status === 'idle' && runId === undefined && !ended && !error
}

/** Asks the store whether the conversation was deleted, or its history cleared. */
async function hasNoRun({ agent }: SubAgent, { childId }: ChildCall): Promise<boolean> {
  const record = await agent.conversations.get(childId)
  return record === null || (record.openRunId === null && record.messages.length === 0)
}

/** True while this page aborts the calling run. The end of that run settles the call. */
function isStopping({ runs }: AgentParts, { conversationId }: ChildCall): boolean {
  return [...runs.openRuns.values()].some(
    ({ run, abortReason }) => run.conversationId === conversationId && abortReason !== undefined,
  )
}

function findCall({ messages }: ConversationSnapshot, toolCallId: string): ShownCall | undefined {
  for (const { calls = [] } of messages.toReversed()) {
    const call = calls.find((each) => each.toolCallId === toolCallId)
    if (call) return call
  }
  return undefined
}

interface Settlement {
  readonly call: ChildCall
  readonly ended: RunOutcome & { readonly runId: string }
  readonly signal: AbortSignal
}

/** Settles the call, and tries again until that succeeds or the signal aborts. Never rejects. */
async function settle(
  sub: SubAgent,
  parent: AgentParts,
  { call, ended, signal }: Settlement,
): Promise<void> {
  const { conversationId, toolCallId } = call
  let usage: RunUsage | undefined
  let output: ToolOutput | undefined
  for (let delay = FIRST_DELAY_MS; !signal.aborted; delay *= 2) {
    try {
      output ??= await outputOf(sub, call, { ...ended, signal, onUsage: (used) => (usage = used) })
      if (signal.aborted) return
      const answer = {
        type: 'settle',
        output,
        ...(usage && { usage }),
        ...(mayPassUntrusted(sub, call, output) && { untrusted: true as const }),
      } as const
      await parent.callWorker('answerCall', {
        ...parent.scope(),
        conversationId,
        toolCallId,
        answer,
      })
      return
    } catch {
      await sleepUnlessAborted(Math.min(delay, LONGEST_DELAY_MS), signal)
    }
  }
}

interface WaitingCall extends ChildCall {
  readonly toolName: string
}

/** Resumes the child runs that calls of this conversation wait for. Resolves once each was tried. */
export async function rejoinChildren(
  agent: AgentParts,
  conversationId: string,
  takesOver: boolean,
): Promise<void> {
  const calls = await readWhenLoaded(agent, conversationId, waitingCalls)
  await Promise.all(
    calls.map(async ({ toolName, ...call }) => {
      const resumer = findChildRunResumer(agent.registry.get(toolName)?.tool)
      await resumer
        ?.resumeChildRun(agent.scope().agentId, { ...call, takesOver })
        .catch((thrown) => {
          if (!isDisposed(thrown)) reportThrown(thrown)
        })
    }),
  )
}

/** Returns the handles of a run's ended child runs. Open child runs get handles when their calls are resumed. */
export async function endedChildren(
  agent: AgentParts,
  { conversationId, runId }: RunRef,
): Promise<readonly Run[]> {
  const children = await readWhenLoaded(agent, conversationId, () => {
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
      ...RESUME_OPTIONS,
    }
    // Null for a child run that is still open.
    const handle = await adopt(agent, () => agent.callWorker('resumeRun', command))
    if (handle) runs.push(handle.run)
  }
  return runs
}

const RESUME_OPTIONS = { interrupted: 'tell-model', waitForToolsMs: 0, afterCrash: false } as const

/** Reads the conversation once it is loaded, or its current state if the agent is disposed. */
async function readWhenLoaded<Value>(
  agent: AgentParts,
  conversationId: string,
  read: (snapshot: ConversationSnapshot) => Value,
): Promise<Value> {
  const view = createView(agent, conversationId)
  let unsubscribe = (): void => undefined
  const loaded = new Promise<void>((resolve) => {
    const check = (): void => {
      if (view.getSnapshot().status !== 'loading') resolve()
    }
    unsubscribe = view.subscribe(check)
    check()
  })
  await Promise.race([loaded, whenAborted(agent.signal)])
  const value = read(view.getSnapshot())
  unsubscribe()
  return value
}

function waitingCalls({ conversationId, messages }: ConversationSnapshot): readonly WaitingCall[] {
  return messages.flatMap(({ calls = [] }) =>
    calls.flatMap(({ child, status, toolCallId, toolName }) =>
      child && status === 'suspended'
        ? [{ conversationId, toolCallId, toolName, childId: child.conversationId }]
        : [],
    ),
  )
}

/** True if one of the two agents was disposed. That isn't an error. */
function isDisposed(thrown: unknown): boolean {
  return OffstageError.is(thrown) && thrown.code === 'disposed'
}

// The code below could be another file, but is always needed with the code above. A single file compresses better.

/** Controllers of watches over child runs on this page, by store and child conversation. */
const watches = new Map<string, AbortController>()

/**
 * Starts the child run of a call, or joins the existing one. The call waits, without a lease, until the run has ended
 * on any page.
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
  const existing = await sub.agent.conversations.get(childId)
  if (existing === null || existing.messages.length === 0) {
    const { maxSteps } = sub.options
    const parentRef = { conversationId, runId, toolCallId }
    const childRunId = randomId()
    const prompt = promptOf(sub, input)
    const announced = { ...parent.scope(), ...parentRef, childConversationId: childId, childRunId }
    await parent.callWorker('announceChild', announced)
    const run = sub.start(
      { input: prompt, parent: parentRef, runId: childRunId, tainted },
      { conversationId: childId, values: false, ...(maxSteps !== undefined && { maxSteps }) },
    )
    parent.runs.openRuns.get(runId)?.children.add(run)
    await waitUntilStored(sub, run)
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
  const watch = replaceWatch(sub, parent, call)
  const { signal } = watch
  const join = async (): Promise<Run | null> => {
    const run = await sub.core.later('resumeChild')(call.childId, call.takesOver)
    if (run) addChild(parent, call, run)
    return run
  }
  const joined = join()
  try {
    await joined
  } finally {
    const stop = (): void => watch.abort()
    if (!signal.aborted) watchChild(sub, parent, { call, signal, stop, join, joined })
  }
}

/** Replaces the previous watch. Synchronous, so that two watches can't begin. */
function replaceWatch(sub: SubAgent, parent: AgentParts, { childId }: ChildCall): AbortController {
  const key = `${storageKey(parent.scope().storage)} ${childId}`
  watches.get(key)?.abort()
  const watch = new AbortController()
  watches.set(key, watch)
  void whenAborted(watch.signal).then(() => {
    if (watches.get(key) === watch) watches.delete(key)
  })
  for (const { signal } of [parent, sub.core]) void whenAborted(signal).then(() => watch.abort())
  return watch
}

/** Adds the child run to the handle of the calling conversation's open run. */
function addChild({ runs }: AgentParts, { conversationId }: ChildCall, run: Run): void {
  for (const handle of runs.openRuns.values())
    if (handle.run.conversationId === conversationId) handle.children.add(run)
}

/** Resolves once the run is stored. Rejects if the run was refused. */
async function waitUntilStored({ agent }: SubAgent, run: Run): Promise<void> {
  const conversation = agent.conversation(run.conversationId)
  let unsubscribe = (): void => undefined
  const stored = new Promise<null>((resolve) => {
    unsubscribe = conversation.subscribe(() => {
      if (conversation.getSnapshot().messages.some(({ at }) => at !== undefined)) resolve(null)
    })
  })
  const result = await Promise.race([run.result, stored]).finally(unsubscribe)
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

/** An agent that other agents use as a tool. */
export interface SubAgent {
  readonly agent: Agent
  readonly core: AgentCore
  readonly start: RunStarter
  readonly options: SubAgentOptions
}

/**
 * Resumes a run whose call uses a sub-agent, and the child runs of that call. Tries the agent `agentId` first, then any
 * agent of this page that has the sub-agent as a tool.
 */
export async function resumeCaller({
  agentId,
  conversationId,
  toolName,
}: CallerRef): Promise<void> {
  const namedAgent = agents.get(agentId)
  if (!namedAgent) return
  const store = storageKey(namedAgent.scope().storage)
  const isAble = ({ registry, scope, signal }: AgentParts): boolean =>
    !signal.aborted &&
    storageKey(scope().storage) === store &&
    findChildRunResumer(registry.get(toolName)?.tool) !== undefined
  const caller = [namedAgent, ...agents.values()].find(isAble)
  if (caller && (await resumeWithoutChildren(caller, { conversationId })))
    await resumeChildRuns(caller, conversationId)
}
