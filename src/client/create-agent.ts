import type { CallAnswer, ConversationScope } from '../protocol/api.ts'
import { OffstageError } from '../protocol/error.ts'
import type { ToolOutput } from '../protocol/message.ts'
import type { Agent, CallRef, Conversations } from './agent.ts'
import { AgentCore } from './agent-core.ts'
import { checkModel, checkOptions, hasContent, wrongLimit } from './check-options.ts'
import { newId } from './ids.ts'
import type { AgentOptions } from './options.ts'

/** Throws an `OffstageError` for bad configuration; everything later is an outcome or a rejection. */
export function createAgent(options: AgentOptions): Agent {
  checkOptions(options)
  const core = new AgentCore(options)
  const { ambient, config, registry, runs } = core
  for (const tool of options.tools ?? []) registry.register(tool)
  if (options.enabledTools) registry.enable(options.enabledTools)
  return {
    run: startRun(core, options),
    async resume(conversationId, { interrupted = 'tell-model', waitForToolsMs = 10_000 } = {}) {
      const handle = await runs.adopt(
        core.ask('resumeRun', {
          ...core.scope(),
          ...(conversationId !== undefined && { conversationId }),
          interrupted,
          waitForToolsMs,
        }),
      )
      return handle && handle.run
    },
    configure({ model, instructions, values }) {
      if (model) {
        checkModel(model, options)
        config.model = model
      }
      config.instructions = instructions ?? config.instructions
      config.values = { ...config.values, ...values }
    },
    registerTool: registry.register,
    setEnabledTools: registry.enable,
    ...answers(core),
    abort(reason) {
      for (const { run } of runs.open.values()) run.abort(reason)
    },
    prepare: async ({ signal } = {}) => (await core.live()).prepare(core, signal),
    extract: async (request) => (await core.live()).extract(core, request) as Promise<never>,
    conversations: conversations(core),
    conversation: (id) => core.view(id),
    on: ambient.on,
    dispose: () => core.dispose(),
    [Symbol.asyncDispose]: () => core.dispose(),
  }
}

function startRun({ runs }: AgentCore, options: AgentOptions): Agent['run'] {
  return (
    input,
    { conversationId = newId(), signal, ifBusy = 'refuse', history, ...limited } = {},
  ) => {
    const ref = { runId: newId(), conversationId }
    const limits = {
      maxSteps: limited.maxSteps ?? options.maxSteps ?? 10,
      retries: limited.retries ?? options.retries ?? 3,
    }
    const wrong =
      wrongLimit(limits) ??
      (hasContent(input) ? undefined : 'The message is empty. Pass text or parts.')
    if (wrong) return runs.refuse(ref, new OffstageError('invalid-input', wrong)).run
    const parts = typeof input === 'string' ? [{ type: 'text' as const, text: input }] : input
    const message = { role: 'user' as const, id: `${ref.runId}:user`, parts }
    return runs.start({ ...ref, message, limits, ifBusy, ...(history && { history }) }, signal).run
  }
}

function answers(
  core: AgentCore,
): Pick<Agent, 'approve' | 'deny' | 'answer' | 'supplyOutput' | 'resolveInterrupted'> {
  const { ask, runs } = core
  const locate = (call: CallRef): { conversationId?: string; toolCallId: string } =>
    typeof call === 'string' ? { toolCallId: call } : call
  const format = async (output: unknown): Promise<ToolOutput> =>
    (await core.live()).formatOutput(output)
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
      const command = { ...core.scope(), ...locate(call), nextRunId: newId() }
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
  const { ask } = core
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
    list: async (options) => ask('listConversations', { ...core.scope(), ...options }),
    get: async (id) => ask('getConversation', at(id)),
    rename: async (id, title) => ask('renameConversation', { ...at(id), title }),
    delete: (id) => emptied(ask('deleteConversation', at(id))),
    clearHistory: (id) => emptied(ask('clearHistory', at(id))),
  }
}
