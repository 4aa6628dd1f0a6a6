import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { Agent } from './agent.ts'
import { AgentCore } from './agent-core.ts'
import { checkModel, checkOptions, hasContent, wrongLimit } from './check-options.ts'
import { checkNames } from './check-names.ts'
import { copyConfig } from './copy-config.ts'
import { toOffstageError } from './failures.ts'
import { fillInput } from './fill-values.ts'
import { randomId } from '../lib/random-id.ts'
import type { AgentOptions } from './options.ts'
import { limitsOf } from './run-limits.ts'
import type { InlineWorker } from './worker-start.ts'

/** `inline` loads the worker that the default one falls back to. */
export function createAgent(options: AgentOptions, inline?: InlineWorker): Agent {
  checkOptions(options)
  const core = new AgentCore(options, inline)
  const { agentEvents, config, consent, registry, later } = core
  for (const tool of options.tools ?? []) registry.register(tool)
  if (options.enabledTools) registry.enable(options.enabledTools)
  const agent: Agent = {
    run: startRun(core, options),
    resume: later('resume'),
    continue: later('continue'),
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
    async approve(call, how) {
      consent.check(call)
      return later('approve')(call, how)
    },
    deny: later('deny'),
    async answer(call, text) {
      consent.check(call)
      return later('answer')(call, text)
    },
    supplyOutput: later('supplyOutput'),
    async resolveInterrupted(call, verdict, output) {
      if (verdict === 'run-again') consent.check(call)
      return later('resolveInterrupted')(call, verdict, output)
    },
    abort: (reason) => core.abort(reason),
    prepare: later('prepare'),
    extract: (request) =>
      core.stoppable(request?.signal, (signal) =>
        later('extract')(request, signal),
      ) as Promise<never>,
    conversations: {
      ...core.list,
      list: later('list'),
      get: later('get'),
      rename: later('rename'),
      delete: later('delete'),
      clearHistory: later('clearHistory'),
    },
    newConversationId: randomId,
    conversation: (id) => core.conversation(id, agent),
    on: agentEvents.on,
    dispose: () => core.dispose(),
    [Symbol.asyncDispose]: () => core.dispose(),
  }
  return agent
}

function startRun({ config, runs }: AgentCore, agent: AgentOptions): Agent['run'] {
  return (input, options) => {
    const {
      conversationId = randomId(),
      signal,
      ifBusy = 'refuse',
      history,
      values,
    } = options ?? {}
    const ref = { runId: randomId(), conversationId }
    try {
      checkNames(options ?? {}, 'run')
      const limits = limitsOf(agent, options ?? {})
      const wrong =
        wrongLimit(limits) ?? (!hasContent(input) && 'The message is empty. Pass text or parts.')
      if (wrong) throw new OffstageError('invalid-input', wrong)
      const parts = fillInput(input, values === false ? {} : { ...config.values, ...values })
      const message = { id: randomId(), parts }
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

/** As JSON, so that it can cross. What it is, the worker finds out. */
function plainHistory(history: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(history))
  } catch (cause) {
    throw new OffstageError('invalid-history', `history: ${describeThrown(cause)}`)
  }
}
