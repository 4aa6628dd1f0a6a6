import type { AgentScope, CallAnswer, ConversationScope, ResumeRun } from '../protocol/api.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { ToolOutput } from '../protocol/message.ts'
import type { RunLimits } from '../protocol/run.ts'
import type { Agent, CallRef, Conversations } from './agent.ts'
import { AgentCore } from './agent-core.ts'
import { checkModel, checkOptions, hasContent, wrongLimit } from './check-options.ts'
import { checkNames } from './check-names.ts'
import { copyConfig } from './copy-config.ts'
import { toOffstageError } from './failures.ts'
import { fillInput } from './fill-values.ts'
import { newId } from './ids.ts'
import type { AgentOptions } from './options.ts'
import type { Run } from './run-handle.ts'

/** Throws an `OffstageError` for bad configuration; everything later is an outcome or a rejection. */
export function createAgent(options: AgentOptions): Agent {
  checkOptions(options)
  const core = new AgentCore(options)
  const { ambient, config, registry } = core
  for (const tool of options.tools ?? []) registry.register(tool)
  if (options.enabledTools) registry.enable(options.enabledTools)
  return {
    run: startRun(core, options),
    async resume(conversationId, how = {}) {
      checkNames(how, 'resume')
      return takeUp(core, { ...how, ...(conversationId !== undefined && { conversationId }) })
    },
    continue: (conversationId) => takeUp(core, { conversationId, goOn: true }),
    configure(change) {
      checkNames(change, 'configure')
      const { model, instructions, values } = change
      if (model) {
        checkModel(model, options)
        config.model = copyConfig(model)
      }
      config.instructions = instructions ?? config.instructions
      config.values = { ...config.values, ...values }
    },
    registerTool: registry.register,
    setEnabledTools: registry.enable,
    ...answers(core),
    abort: (reason) => core.abort(reason),
    prepare: async ({ signal } = {}) => (await core.live()).prepare(core, signal),
    extract: (request) =>
      core.stoppable(request.signal, async (signal) =>
        (await core.live()).extract(core, request, signal),
      ) as Promise<never>,
    conversations: conversations(core),
    conversation: (id) => core.view(id),
    on: ambient.on,
    dispose: () => core.dispose(),
    [Symbol.asyncDispose]: () => core.dispose(),
  }
}

async function takeUp(
  core: AgentCore,
  command: Partial<Omit<ResumeRun, keyof AgentScope>>,
): Promise<Run | null> {
  const defaults = { interrupted: 'tell-model', waitForToolsMs: 10_000 } as const
  const resumed = core.carry('resumeRun', { ...defaults, ...command, ...core.scope() })
  const handle = await core.runs.adopt(resumed)
  return handle && handle.run
}

function startRun({ config, runs }: AgentCore, agent: AgentOptions): Agent['run'] {
  return (input, options = {}) => {
    const { conversationId = newId(), signal, ifBusy = 'refuse', history, values } = options
    const ref = { runId: newId(), conversationId }
    try {
      checkNames(options, 'run')
      const limits = limitsOf(agent, options)
      const wrong =
        wrongLimit(limits) ?? (!hasContent(input) && 'The message is empty. Pass text or parts.')
      if (wrong) throw new OffstageError('invalid-input', wrong)
      const parts = fillInput(input, values === false ? {} : { ...config.values, ...values })
      const message = { role: 'user' as const, id: `${ref.runId}:user`, parts }
      const command = {
        ...ref,
        message,
        limits,
        ifBusy,
        ...(history && { history: plainHistory(history) }),
      }
      return runs.start(command, signal).run
    } catch (thrown) {
      return runs.refuse(ref, toOffstageError(thrown)).run
    }
  }
}

function limitsOf(agent: Partial<RunLimits>, run: Partial<RunLimits> = {}): RunLimits {
  return {
    maxSteps: run.maxSteps ?? agent.maxSteps ?? 10,
    retries: run.retries ?? agent.retries ?? 3,
  }
}

/** As JSON, so that it can cross. What it is, the worker finds out. */
function plainHistory(history: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(history))
  } catch (cause) {
    throw new OffstageError('invalid-history', `history: ${describeThrown(cause)}`)
  }
}

function answers(
  core: AgentCore,
): Pick<Agent, 'approve' | 'deny' | 'answer' | 'supplyOutput' | 'resolveInterrupted'> {
  const { ask, runs } = core
  const locate = (call: CallRef): { conversationId?: string; toolCallId: string } =>
    typeof call === 'string' ? { toolCallId: call } : call
  const format = (output: unknown): Promise<ToolOutput> =>
    core.whileAlive(async () => (await core.live()).formatOutput(output))
  const reply = (call: CallRef, answer: CallAnswer['answer']): Promise<boolean> =>
    ask('answerCall', { ...core.scope(), ...locate(call), answer })
  const consent = (call: CallRef): void => core.consent.check(locate(call).toolCallId)
  return {
    async approve(call, { input } = {}) {
      consent(call)
      return reply(call, { type: 'approve', ...(input !== undefined && { input }) })
    },
    deny: (call, reason) => reply(call, { type: 'deny', ...(reason && { reason }) }),
    async answer(call, text) {
      consent(call)
      return reply(call, { type: 'answer', text })
    },
    async supplyOutput(call, output) {
      const limits = limitsOf(core.options)
      const command = { ...core.scope(), ...locate(call), nextRunId: newId(), limits }
      const supplied = { ...command, output: await format(output) }
      const handle = await runs.adopt(ask('supplyOutput', supplied))
      core.reload()
      return handle && handle.run
    },
    async resolveInterrupted(call, verdict, output) {
      if (verdict === 'run-again') consent(call)
      return reply(call, {
        type: 'resolve',
        verdict,
        ...(output !== undefined && { output: await format(output) }),
      })
    },
  }
}

function conversations(core: AgentCore): Conversations {
  const { ask, carry } = core
  const at = (conversationId: string): ConversationScope => ({
    ...core.scope(),
    conversationId,
  })
  const emptied = async (done: Promise<boolean>): Promise<boolean> => {
    const answer = await done
    core.reload()
    return answer
  }
  return {
    list: async (options) => carry('listConversations', { ...core.scope(), ...options }),
    get: async (id) => carry('getConversation', at(id)),
    rename: async (id, title) => ask('renameConversation', { ...at(id), title }),
    delete: (id) => emptied(ask('deleteConversation', at(id))),
    clearHistory: (id) => emptied(ask('clearHistory', at(id))),
  }
}
