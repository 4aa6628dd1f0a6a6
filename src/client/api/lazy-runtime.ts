import { transfer } from 'comlink'
import { type AgentParts, agents } from './agent-parts.ts'
import type * as IdleWork from '../page-life/idle-work.ts'
import { loadPart } from './load-part.ts'
import { type AgentOptions, compactionSettings } from './options.ts'
import { storageKey } from '../../protocol/conversation.ts'
import { describeTools, usableDefinition } from '../tools/describe-tools.ts'
import { resumeChildRuns } from '../runs/resume-run.ts'
import { failCrashedRun } from '../runs/send-run.ts'
import { type LinkedAgent, type LinkOptions, WorkerLink } from '../worker-link/worker-link.ts'
import type { SkillRef, StepContext } from '../../protocol/page-calls.ts'
import { describeThrown } from '../../protocol/error.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import {
  type AgentConfig,
  findEngine,
  modelFor,
  modelOfPage,
  reflectSettings,
} from './agent-config.ts'
import type { CompactionChooser } from '../features/choose-compaction.ts'
import { badConfig } from './failures.ts'
import { toHookedCall } from '../execution/execution.ts'
import { stringify, truncate } from '../execution/format-output.ts'
import { fillValues } from './fill-values.ts'
import { createConfigBook, isKeyless, readContext, readCredentials } from './model-config.ts'
import { memoriesOf } from '../features/memory.ts'
import type { AgentPage } from '../page-life/page-api.ts'
import type * as hooks from '../features/hooks.ts'
import type { ApprovalFunctions, Verifier, VerifierParts } from '../features/hooks.ts'
import { loadPartWithRetry, retryWhenLeaving } from '../page-life/page-leaving.ts'
import { findChildRunResumer } from '../page-life/child-run-resumers.ts'
import type { Skill } from '../features/skill.ts'
import type * as SkillsOnPage from '../features/skills-on-page.ts'
import type { ToolRegistry } from '../tools/tool-registry.ts'
import type { Row } from '../../protocol/fact.ts'
import { pageActs } from '../../protocol/page-acts.ts'
import {
  type CallRequest,
  type CallRef,
  nowMs,
  toCallRef,
  UNKNOWN_REQUEST,
} from '../execution/person-check.ts'

/**
 * Code that an agent needs once it has a worker: the wire, supervision, publishing and tool execution. Imported with
 * the first worker, to keep it out of the page's first load.
 */

export { createCommands } from './agent-commands.ts'

/** Hooks that few tools and agents have are loaded on first use. */
const loadHooks = (): Promise<typeof hooks> =>
  loadPartWithRetry(() => import('../features/hooks.ts'))

type PageParts = VerifierParts & { readonly config: AgentConfig; readonly registry: ToolRegistry }

/** Functions of an agent's configuration that the worker may call. */
function createAgentPage(agent: PageParts): AgentPage {
  const { config, options, registry, signal } = agent
  const loadApprovals = createApprovalsLoader(agent)
  const warned = new Set<string>()
  const readTools = async (): Promise<ToolDescriptor[]> =>
    withNames(agent, await describeAll(options, registry, loadApprovals), warned)
  const book = createConfigBook()
  return {
    async stepContext(query) {
      const { toolless, isChild = false, titles } = query
      const model = modelFor(query, options, config)
      const context = titles ? undefined : await liveContext(options, config)
      // An agent that is called as a tool can't call other agents.
      const isOffered = ({ name }: ToolDescriptor): boolean =>
        !isChild || !findChildRunResumer(registry.get(name)?.tool)
      const offered = toolless ? [] : (await readTools()).filter(isOffered)
      return {
        ...modelOfPage(model, options.engines),
        configId: book.idOf(model),
        ...(isKeyless(model) && { keyless: true }),
        instructions: titles
          ? ''
          : fillValues(config.instructions, config.values, 'invalid-config'),
        ...(context !== undefined && { context: truncate(context) }),
        tools: offered,
        ...(options.skills?.length && { skills: options.skills.map(skillRef) }),
        ...omittedTools(registry, offered),
        hasBeforeToolCall:
          !!options.beforeToolCall || registry.all().some(({ tool }) => tool.applyDefaults),
        ...workerOptions(options, config),
      }
    },
    currentTools: async () => readTools(),
    readSkill: async ({ name }) =>
      options.skills ? (await loadSkills()).skillText(options.skills, name) : null,
    credentials: async ({ configId, endpoint, previousRejected }) =>
      retryWhenLeaving(() =>
        readCredentials(book.find(configId), { ...endpoint, signal, previousRejected }),
      ),
    async openEngine({ provider, ...opening }) {
      const engine = findEngine(provider, options.engines)
      if (!engine) throw badConfig(`This agent has no engine ${provider}. Pass one in engines.`)
      const line = await retryWhenLeaving(async () => engine.open(opening))
      return transfer(line, [line.port])
    },
    beforeToolCall: (call) => beforeToolCall(agent, call),
    ...callHooks(agent, loadApprovals),
    ...modelHooks(agent),
    ...compactionPolicy(agent),
    ...rareCalls(agent),
  }
}

/** Adds names for the model if its APIs refuse the tools' own. Warns of names that no tool has. */
async function withNames(
  agent: PageParts,
  described: ToolDescriptor[],
  warned: Set<string>,
): Promise<ToolDescriptor[]> {
  const { config, registry } = agent
  const isNamed = registry.enabledNames !== null || typeof config.model.toolChoice === 'object'
  if (!isNamed && !registry.all().some((entry) => entry.isOddlyNamed)) return described
  const part = await loadPartWithRetry(() => import('../tools/tool-names.ts'))
  part.checkToolNames(agent, described, warned)
  return part.withNamesForModel(described, registry)
}

type LoadApprovals = () => Promise<ApprovalFunctions>

/** Loads the functions that decide about approval, once for each agent. */
function createApprovalsLoader(agent: PageParts): LoadApprovals {
  let approvals: ApprovalFunctions | undefined
  return async () => {
    const part = await loadHooks()
    return (approvals ??= new part.ApprovalFunctions(agent))
  }
}

type CallHooks =
  | 'needsApproval'
  | 'commits'
  | 'consentKey'
  | 'describeCall'
  | 'secretsIn'
  | 'reconcileTool'

/** Hooks that decide whether a call needs approval, what the request shows, and how an interrupted call ended. */
function callHooks(
  { registry, warn }: PageParts,
  loadApprovals: LoadApprovals,
): Pick<AgentPage, CallHooks> {
  return {
    async needsApproval(call) {
      // Without the part, approval is needed, as after any error of a hook.
      const approvals = await loadApprovals().catch(() => null)
      if (!approvals) return true
      return retryWhenLeaving(() =>
        approvals.needsApproval(registry.get(call.toolName), call, toHookedCall(call)),
      )
    },
    async commits(call) {
      const part = await loadHooks().catch(() => null)
      return part ? part.commits(registry.get(call.toolName), call) : true
    },
    async consentKey(call) {
      const part = await loadHooks().catch(() => null)
      return part && part.consentKey(registry.get(call.toolName), call)
    },
    async describeCall(call) {
      const part = await loadHooks()
      return retryWhenLeaving(() => part.describeCall(registry.get(call.toolName), call))
    },
    async secretsIn(call) {
      const part = await loadHooks()
      const warnHookFailed = (message: string): void => warn('hook-failed', message)
      return retryWhenLeaving(() =>
        part.secretsIn(registry.get(call.toolName), call, warnHookFailed),
      )
    },
    async reconcileTool(call) {
      const part = await loadHooks().catch(() => null)
      return part
        ? part.reconcile(registry.get(call.toolName), call, toHookedCall(call))
        : { type: 'unknown' }
    },
  }
}

/** Functions whose code few pages need. */
function rareCalls({
  options,
  registry,
  signal,
  warn,
}: PageParts): Pick<
  AgentPage,
  'sensitiveFields' | 'undoTool' | 'retrieveMemories' | 'goOnWithCaller'
> {
  return {
    async sensitiveFields({ fields }) {
      const part = await loadPartWithRetry(() => import('../execution/sensitive-fields.ts'))
      return part.sensitiveFields(fields)
    },
    async undoTool(call) {
      const part = await loadPartWithRetry(() => import('../execution/undo-tool.ts'))
      return part.undoTool(registry.get(call.toolName), call, signal)
    },
    // The app's memory gets only these fields of the query.
    async retrieveMemories({ query, conversationId, writtenBy, tainted }) {
      const part = await loadPartWithRetry(() => import('../features/retrieve-memories.ts'))
      return part.retrieveMemories(memoriesOf(options), {
        query,
        conversationId,
        writtenBy,
        tainted,
        signal,
        warn: (message) => warn('memory-failed', message),
      })
    },
    async goOnWithCaller(call) {
      const part = await loadPartWithRetry(() => import('../sub-agents/child-runs.ts'))
      return part.resumeCaller(call)
    },
  }
}

/** Returns the live context; undefined if no part of it returns anything. */
async function liveContext(
  { context }: AgentOptions,
  { contexts }: AgentConfig,
): Promise<string | undefined> {
  const parts = [...(context ? [context] : []), ...contexts]
  if (parts.length === 0) return undefined
  return retryWhenLeaving(() => readContext(parts, (value) => stringify(value) ?? ''))
}

/** Options that the worker needs before it calls a model. */
function workerOptions(
  options: AgentOptions,
  config: AgentConfig,
): Partial<StepContext> & Pick<StepContext, 'raw'> {
  return {
    ...(options.verify && { hasVerify: true }),
    ...(options.beforeModel && { hasBeforeModel: true }),
    ...reflectSettings(options, config),
    ...(options.compaction !== undefined && { compaction: compactionSettings(options.compaction) }),
    ...(memoriesOf(options).length > 0 && { hasMemory: true }),
    raw: options.raw ?? false,
    ...(options.requests && { requests: true }),
  }
}

/** Loads the callers of `verify` and `beforeModel` on first use: few agents have one. */
function modelHooks(
  agent: VerifierParts,
): Pick<AgentPage, 'beforeModel' | 'verify' | 'stopVerifying'> {
  let verifier: Verifier | undefined
  let loading: Promise<Verifier> | undefined
  const load = (hook: string): Promise<typeof hooks> =>
    loadHooks().catch((thrown) => {
      agent.warn('hook-failed', `${hook} did not run: ${describeThrown(thrown)}`)
      throw thrown
    })
  const loadVerifier = async (): Promise<Verifier> => {
    const part = await load('verify')
    return (verifier ??= new part.Verifier(agent))
  }
  return {
    beforeModel: (request) =>
      load('beforeModel').then(
        (part) => part.beforeModel(agent, request),
        () => ({}),
      ),
    verify: async (answer) =>
      agent.options.verify ? (await (loading = loadVerifier())).verify(answer) : null,
    stopVerifying: async ({ messageId }) => (await loading)?.stop(messageId),
  }
}

/** Loads the caller of a custom policy on first use: few agents have one. */
function compactionPolicy({
  options: { compaction },
  signal,
}: VerifierParts): Pick<AgentPage, 'chooseCompaction' | 'stopChoosing'> {
  const policy = compaction && compaction.policy
  let chooser: CompactionChooser | undefined
  let loading: Promise<CompactionChooser | undefined> | undefined
  const load = async (): Promise<CompactionChooser | undefined> => {
    if (typeof policy !== 'function') return undefined
    const part = await loadPartWithRetry(() => import('../features/choose-compaction.ts'))
    return (chooser ??= new part.CompactionChooser(policy, signal))
  }
  return {
    chooseCompaction: async (query) =>
      (await (loading = load()))?.choose(query) ?? { type: 'chosen', choice: 'auto' },
    stopChoosing: async (run) => (await loading)?.stop(run),
  }
}

/** Describes all tools that the model may use: the app's, those of skills, and control tools. */
async function describeAll(
  options: AgentOptions,
  registry: ToolRegistry,
  loadApprovals: LoadApprovals,
): Promise<ToolDescriptor[]> {
  // Warnings are for the developer: without the part, there are none.
  if (options.toolApproval === 'never')
    await loadApprovals().then(
      (approvals) => approvals.warnOfUnapprovedTools(registry.all()),
      () => undefined,
    )
  const { skills = [], tools, controlTools = [], questionFields } = options
  const part = skills.length > 0 ? await loadSkills() : undefined
  part?.provideFiles(registry, skills)
  const described = describeTools(registry, options)
  const appTools = part ? part.withSkills(described, skills, tools) : described
  if (controlTools.length === 0) return appTools
  const { controlDescriptors } = await loadPartWithRetry(() => import('../tools/control-tools.ts'))
  return [...appTools, ...controlDescriptors(controlTools, questionFields)]
}

function loadSkills(): Promise<typeof SkillsOnPage> {
  return loadPartWithRetry(() => import('../features/skills-on-page.ts'))
}

function skillRef({ name, description, loaded }: Skill): SkillRef {
  return { name, description, ...(loaded && { loaded }) }
}

/** Returns the names of registered tools that aren't offered. */
function omittedTools(
  registry: ToolRegistry,
  offered: readonly ToolDescriptor[],
): { readonly otherTools?: readonly string[] } {
  const names = new Set(offered.map(({ name }) => name))
  const otherTools = registry.all().flatMap(({ name }) => (names.has(name) ? [] : name))
  return otherTools.length ? { otherTools } : {}
}

/** Calls the `beforeToolCall` hook. If it throws, or its answer is unclear, the call is vetoed. */
async function beforeToolCall(
  { options, registry }: Pick<VerifierParts, 'options'> & { readonly registry: ToolRegistry },
  call: Parameters<AgentPage['beforeToolCall']>[0],
): ReturnType<AgentPage['beforeToolCall']> {
  try {
    const entry = registry.get(call.toolName)
    const part =
      entry?.tool.applyDefaults &&
      (await loadPartWithRetry(() => import('../tools/apply-defaults.ts')))
    const callWithDefaults = part ? part.withDefaults(call, entry.inputSchema) : call
    // Input that a person wrote only gets the defaults of missing values; no hook may change it.
    const verdict = call.edited
      ? null
      : await retryWhenLeaving(async () => options.beforeToolCall?.(toHookedCall(callWithDefaults)))
    const answer = Object(verdict ?? callWithDefaults) as {
      readonly veto?: unknown
      readonly input?: JsonValue
    }
    if ('veto' in answer) return { type: 'veto', reason: vetoReason(answer.veto) }
    const { input } = answer
    if (input !== undefined) return { type: 'go', input }
    throw new TypeError('beforeToolCall must return { veto }, { input } or nothing.')
  } catch (thrown) {
    return { type: 'veto', reason: describeThrown(thrown) }
  }
}

function vetoReason(veto: unknown): string {
  return veto && veto !== true ? describeThrown(veto) : 'The page does not allow this call.'
}

/** Connects the agent to the worker that the options name. */
export function connectAgent(options: LinkOptions, agent: AgentParts): WorkerLink {
  const { agentId } = agent.scope()
  agents.set(agentId, agent)
  agent.signal.addEventListener('abort', () => agents.delete(agentId), { once: true })
  return WorkerLink.forAgent(options, createLinkedAgent(agent))
}

/** The agent's interface for its worker, its supervision and its tool executions. */
function createLinkedAgent(agent: AgentParts): LinkedAgent {
  const { agentEvents, config, personCheck, lists, registry, runs, signal, options } = agent
  const waitingCalls = new WaitingCalls()
  const warn = (code: string, message: string): void =>
    agentEvents.emit({ type: 'warning', code, message })
  personCheck.find = (call) => waitingCalls.find(call)
  return {
    agentId: agent.scope().agentId,
    redactor: options.redact && {
      storage: storageKey(agent.scope().storage),
      redact: options.redact,
      warn: (message) => warn('hook-failed', message),
    },
    parts: agent,
    page: createAgentPage({ options, config, registry, signal, warn }),
    onRow(row) {
      if (waitingCalls.record(row)) personCheck.watch()
    },
    onListChange(storage) {
      if (storage === undefined || storage === storageKey(agent.scope().storage))
        for (const list of lists) list.changed()
    },
    onNotice: agentEvents.emit,
    onInherited: (conversationId) => void resumeChildRuns(agent, conversationId),
    hasOpenWork: () => !signal.aborted && runs.openRuns.size + runs.aborts.size > 0,
    failCrashedRun: (runId, error) => failCrashedRun(agent, runId, error),
    failOpenRuns: (error) => runs.endAll({ outcome: 'failed', error: error.toData() }),
    releaseEngines() {
      for (const engine of options.engines ?? []) engine.release(agent.scope().agentId)
    },
    findTool: ({ toolName }) => registry.get(toolName),
    definitionOf: (tool) => usableDefinition(tool, registry, options),
    confirmLease: ({ conversationId, epoch }) =>
      agent.callWorker('confirmLease', { ...agent.scope(), conversationId, epoch }),
    hooks: ({ runId, conversationId, toolCallId, path = [toolCallId] }) => ({
      afterToolCall: options.afterToolCall,
      progress: (progress) =>
        agent.link().report({
          type: 'tool-progress',
          ...agent.scope(),
          conversationId,
          runId,
          path,
          progress,
        }),
      line: {
        callTool: (call) => agent.callWorker('callTool', { ...agent.scope(), ...call }),
        keepOutcomes: (command) =>
          agent.callWorker('keepOutcomes', { ...agent.scope(), ...command }),
      },
      warn,
    }),
  }
}

let idleWork: typeof IdleWork | undefined

/**
 * Loads the work that an agent does while idle, before its first run, so that no run is missed. Development servers
 * have a port; there, this work also checks the schemas of tools.
 */
export async function prepareIdleWork({ titles, retention }: AgentOptions): Promise<void> {
  if (titles || retention || globalThis.location?.port)
    idleWork ??= await loadPart(() => import('../page-life/idle-work.ts'))
}

export function workWhileIdle(agent: AgentParts): void {
  idleWork?.workWhileIdle(agent)
}

/** Calls that wait for a person or the page, as far as this page was notified. */
export class WaitingCalls {
  /** Entries by call, then conversation: two conversations may have a call with the same id. */
  readonly #calls = new Map<string, Map<string, CallRequest>>()

  /** Records a row. True if the row requests an answer. */
  record(row: Row): boolean {
    switch (row.type) {
      case 'approval-requested':
      case 'call-interrupted':
      case 'call-suspended':
      case 'output-requested':
      case 'question-asked':
        this.#addRequest(row.path.at(-1) ?? '', row)
        return true
      case 'approval-answered':
      case 'call-started':
      case 'call-settled': {
        const toolCallId = row.path.at(-1) ?? ''
        const byConversation = this.#calls.get(toolCallId)
        byConversation?.delete(row.conversationId)
        if (byConversation?.size === 0) this.#calls.delete(toolCallId)
        return false
      }
      default:
        return false
    }
  }

  #addRequest(toolCallId: string, { type, conversationId, seq }: Row): void {
    const byConversation = this.#calls.get(toolCallId) ?? new Map<string, CallRequest>()
    this.#calls.set(toolCallId, byConversation)
    const turns = byConversation.get(conversationId)?.turns ?? pageActs().turns
    const isApproval = type === 'approval-requested'
    byConversation.set(conversationId, { turns, at: nowMs(), ...(isApproval && { seq }) })
  }

  /** Returns the entry of a call. If several match, returns the strictest combination. */
  find(call: CallRef): CallRequest {
    const { toolCallId, conversationId } = toCallRef(call)
    const byConversation = this.#calls.get(toolCallId)
    if (!byConversation) return UNKNOWN_REQUEST
    if (conversationId !== undefined) return byConversation.get(conversationId) ?? UNKNOWN_REQUEST
    const all = [...byConversation.values()]
    const [only = UNKNOWN_REQUEST] = all
    if (all.length === 1) return only
    return {
      turns: Math.min(...all.map(({ turns }) => turns)),
      at: Math.max(...all.map(({ at }) => at)),
    }
  }
}
