import type { Agent, Conversations } from './agent.ts'
import { AgentCore } from './agent-core.ts'
import { checkModel, checkOptions, checkPrices } from './check-options.ts'
import { checkNames } from './check-names.ts'
import { copyConfig } from './copy-config.ts'
import { randomId } from '../lib/random-id.ts'
import { memoriesOf, toolsOfMemories } from './memory.ts'
import { pageStorage } from './page-storage.ts'
import type { AgentOptions } from './options.ts'
import { personAnswers } from './person-answers.ts'
import { toolsOfSkills } from './skill.ts'
import type { SubAgentOptions } from './sub-agent-options.ts'
import { subAgentTool } from './sub-agent.ts'
import { runStarter } from './start-run.ts'
import type { InlineWorker } from './worker-start.ts'

/** `inline` loads the inline worker, the fallback of the default worker. */
export function createAgent(options: AgentOptions, inline?: InlineWorker): Agent {
  checkOptions(options)
  const core = new AgentCore(options, inline)
  const { agentEvents, config, registry, later } = core
  const { tools = [], skills } = options
  const memories = memoriesOf(options)
  for (const tool of [...tools, ...toolsOfSkills(skills, tools), ...toolsOfMemories(memories)])
    registry.register(tool)
  if (options.enabledTools) registry.enable(options.enabledTools)
  const start = runStarter(core, options)
  const agent: Agent = {
    run: (input, how) => start({ input }, how),
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
      // A new function each time, so that the same `read` can be added twice.
      const part = (): unknown => read()
      config.contexts.add(part)
      return () => void config.contexts.delete(part)
    },
    registerTool: registry.register,
    setEnabledTools: registry.enable,
    tools: { ...core.tools, list: async () => (await later('showTools')()).read() },
    inputSchema: (toolName) => registry.get(toolName)?.inputSchema ?? null,
    asTool: (options) => subAgentTool({ agent, core, start, options: options as SubAgentOptions }),
    ...personAnswers(core),
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

type Questions = Omit<Conversations, keyof AgentCore['list']>

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
  } satisfies Record<keyof Questions, 1>) as (keyof Questions)[]
  const questions = names.map((name) => [name, later(name)])
  return { ...list, ...(Object.fromEntries(questions) as Questions) }
}
