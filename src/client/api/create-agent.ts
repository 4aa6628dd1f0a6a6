import { type Agent, type Conversations, pageStorage } from './agent.ts'
import { AgentCore } from './agent-core.ts'
import { checkModel, checkOptions, checkPrices, copyConfig } from './check-options.ts'
import { checkNames } from './check-names.ts'
import { randomId } from '../../lib/random-id.ts'
import { memoriesOf, toolsOfMemories } from '../features/memory.ts'
import type { AgentOptions, SubAgentOptions } from './options.ts'
import { toolsOfSkills } from '../features/skill.ts'
import { runStarter } from '../runs/agent-runs.ts'
import type { InlineWorker } from '../worker-link/worker-start.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import { type AgentParts, agents } from './agent-parts.ts'
import type * as childRuns from '../sub-agents/child-runs.ts'
import type { SubAgent } from '../sub-agents/child-runs.ts'
import { callers, setChildRunResumer } from '../page-life/child-run-resumers.ts'
import { badConfig } from './failures.ts'
import { loadPart } from './load-part.ts'
import type { Tool } from '../tools/tool.ts'
import { copyPlain } from '../../lib/json/copy-plain.ts'
import { OffstageError } from '../../protocol/error.ts'
import { type CallAnswers, type ConsumedConsent, toCallRef } from '../execution/person-check.ts'

/**
 * Answers to waiting calls. Each is sent after the check that a person gave it. Arguments are copied at once: later
 * changes by the caller must not alter what the person agreed to.
 */
function createCallAnswers({
  personCheck,
  later,
}: Pick<AgentCore, 'personCheck' | 'later'>): CallAnswers {
  return {
    consent: (call, event) => personCheck.createConsent(call, event),
    async approve(call, options) {
      const [ref, copiedOptions] = copyPlain([toCallRef(call), options] as const)
      const consumed = personCheck.checkAnswer(ref, options?.consent)
      return restoreIfInvalid(consumed, later('approve')(ref, copiedOptions, consumed.requestSeq))
    },
    async approveAll(calls) {
      const refs = copyPlain(calls.map(toCallRef))
      const requestSeqs = personCheck.checkApprovals(refs)
      const approvals = refs.map((ref, index) =>
        later('approve')(ref, undefined, requestSeqs[index]),
      )
      const results = await Promise.allSettled(approvals)
      const failed = results.find((answer) => answer.status === 'rejected')
      if (failed) throw failed.reason
      return results.filter((answer) => answer.status === 'fulfilled' && answer.value).length
    },
    deny: later('deny'),
    async answer(call, answer, options) {
      const [ref, copiedAnswer] = [toCallRef(call), copyPlain(answer)]
      // Declining needs no user gesture, just like `deny`.
      const needsGesture = typeof copiedAnswer === 'string' || copiedAnswer?.action === 'accept'
      const consumed = needsGesture ? personCheck.checkAnswer(ref, options?.consent) : null
      return restoreIfInvalid(consumed, later('answer')(ref, copiedAnswer))
    },
    async supplyOutput(call, output, options) {
      const [ref, copiedOutput] = [toCallRef(call), copyPlain(output)]
      const consumed = personCheck.checkOutcome(ref, options?.consent)
      return restoreIfInvalid(consumed, later('supplyOutput')(ref, copiedOutput))
    },
    async settle(call, outcome, options) {
      const [ref, copiedOutcome] = [toCallRef(call), copyPlain(outcome)]
      const consumed =
        copiedOutcome?.error === undefined ? personCheck.checkOutcome(ref, options?.consent) : null
      return restoreIfInvalid(consumed, later('settle')(ref, copiedOutcome))
    },
    async resolveInterrupted(call, verdict, ...[output, options]) {
      const [ref, copiedOutput] = [toCallRef(call), copyPlain(output)]
      const consumed =
        verdict === 'run-again' ? personCheck.checkAnswer(ref, options?.consent) : null
      return restoreIfInvalid(consumed, later('resolveInterrupted')(ref, verdict, copiedOutput))
    },
  }
}

/** Makes the user gesture usable again if the answer is refused as invalid, because nothing was answered. */
async function restoreIfInvalid<Answer>(
  consumed: ConsumedConsent | null,
  answering: Promise<Answer>,
): Promise<Answer> {
  try {
    return await answering
  } catch (thrown) {
    if (OffstageError.is(thrown) && /^invalid-(input|config)$/.test(thrown.code))
      consumed?.restore()
    throw thrown
  }
}

const PROMPT: JsonSchema = {
  type: 'object',
  properties: {
    prompt: {
      type: 'string',
      description: 'All that the agent must know: it sees nothing else.',
    },
  },
  required: ['prompt'],
  additionalProperties: false,
}

const loadChildRuns = (): Promise<typeof childRuns> =>
  loadPart(() => import('../sub-agents/child-runs.ts'))

/** Turns an agent into a tool for other agents. Throws `invalid-config`. */
function subAgentTool(subAgent: SubAgent): Tool {
  const { options } = subAgent
  checkNames(options, 'asTool')
  const { name, title, description, inputSchema = PROMPT, needsApproval } = options
  if (typeof name !== 'string' || typeof description !== 'string')
    throw badConfig('asTool() needs a name and a description.')
  const tool: Tool = {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema,
    ...(needsApproval !== undefined && { needsApproval }),
    // A repeated call joins the child run that already exists.
    annotations: { idempotent: true },
    sequential: false,
    async execute(input, context) {
      const parent = callerOf(callers.get(context.signal))
      return (await loadChildRuns()).runChild(subAgent, parent, { input, context })
    },
  }
  setChildRunResumer(tool, {
    async resumeChildRun(agentId, call) {
      await (await loadChildRuns()).joinChild(subAgent, callerOf(agentId), call)
    },
  })
  return tool
}

/** Throws if the tool's caller isn't an agent of this page. */
function callerOf(agentId: string | undefined): AgentParts {
  const caller = agents.get(agentId ?? '')
  if (caller) return caller
  throw badConfig('An agent as a tool works only with agents of this page and package version.')
}

/** `inline` loads the inline worker, the fallback of the default worker. */
export function createAgent(options: AgentOptions, inline?: InlineWorker): Agent {
  checkOptions(options)
  const core = new AgentCore(options, inline)
  const { agentEvents, config, registry, later } = core
  const { tools = [], skills } = options
  const memories = memoriesOf(options)
  for (const tool of [...tools, ...toolsOfSkills(skills, tools), ...toolsOfMemories(memories)])
    registry.register(tool)
  if (options.enabledTools) registry.setEnabledTools(options.enabledTools)
  const start = runStarter(core, options)
  const agent: Agent = {
    run: (input, options) => start({ input }, options),
    resume: later('resume'),
    continue: later('continue'),
    configure(change) {
      checkNames(change, 'configure')
      const { model, instructions, values } = change
      if (model) {
        checkModel(model, options)
        checkPrices(options.limits, { ...options, model })
        config.model = copyConfig(model)
      }
      config.instructions = instructions ?? config.instructions
      config.values = { ...config.values, ...values }
    },
    addContext(read) {
      // Wraps `read`, so that the same function can be added twice.
      const part = (): unknown => read()
      config.contexts.add(part)
      return () => void config.contexts.delete(part)
    },
    registerTool: registry.register,
    setEnabledTools: registry.setEnabledTools,
    tools: { ...core.tools, list: async () => (await later('showTools')()).read() },
    inputSchema: (toolName) => registry.get(toolName)?.inputSchema ?? null,
    asTool: (options) => subAgentTool({ agent, core, start, options: options as SubAgentOptions }),
    ...createCallAnswers(core),
    requirePerson: () => core.personCheck.requirePerson(),
    abort: (reason) => core.abort(reason),
    prepare: later('prepare'),
    extract: (request) =>
      core.stoppable(request?.signal, (signal) =>
        later('extract')(request, signal),
      ) as Promise<never>,
    conversations: conversationsOf(core),
    memories,
    storage: pageStorage,
    trigger: later('trigger') as Agent['trigger'],
    triggers: later('trigger') as Agent['triggers'],
    newConversationId: randomId,
    conversation: (id) => core.conversation(id, agent, start),
    on: agentEvents.on,
    dispose: () => core.dispose(),
    [Symbol.asyncDispose]: () => core.dispose(),
  }
  for (const memory of memories) memory.connect?.(agent)
  return agent
}

type ConversationMethods = Omit<Conversations, keyof AgentCore['list']>

function conversationsOf({ list, later }: AgentCore): Conversations {
  // Built from a list of names: one line per method would take more bytes.
  const names = Object.keys({
    list: 1,
    get: 1,
    rename: 1,
    fork: 1,
    delete: 1,
    clearHistory: 1,
    rows: 1,
    export: 1,
    import: 1,
    wipe: 1,
  } satisfies Record<keyof ConversationMethods, 1>) as (keyof ConversationMethods)[]
  const methods = names.map((name) => [name, later(name)])
  return { ...list, ...(Object.fromEntries(methods) as ConversationMethods) }
}
