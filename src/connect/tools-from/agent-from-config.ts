import { isJson } from '../../lib/json/is-json.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Agent } from '../../client/api/agent.ts'
import { hintAmong } from '../../client/api/check-names.ts'
import { cleanName } from '../../client/tools/clean-name.ts'
import { createAgent } from '../../client/api/create-agent.ts'
import { memoriesOf, toolsOfMemories } from '../../client/features/memory.ts'
import type { ReflectOptions } from '../../client/api/options.ts'
import { type Skill, toolsOfSkills } from '../../client/features/skill.ts'
import type { CompositeTool, Tool } from '../../client/tools/tool.ts'
import type { InlineWorker } from '../../client/worker-link/worker-start.ts'
import type {
  AgentConfig,
  ConfigParts,
  PlainModel,
  Secrets,
  SubAgentConfig,
} from './config/agent-config.ts'
import {
  checkFields,
  listOf,
  withErrorPath,
  configError,
  AGENT_FIELDS,
  PARTS_FIELDS,
  SUB_AGENT_FIELDS,
  SUB_AGENT_PARTS_FIELDS,
} from './config/fields.ts'
import { compositesOf, memoriesIn, skillsOf } from './config/described-parts.ts'

export type {
  AgentConfig,
  BlackboardConfig,
  CompositeToolConfig,
  ConfigParts,
  KeptMemoryConfig,
  MemoryConfig,
  SkillConfig,
  SubAgentConfig,
  SubAgentParts,
} from './config/agent-config.ts'

/** Creates an agent from a configuration. Throws `invalid-config`, which names the mistake and its place. */
export function agentFromConfig(
  given: AgentConfig | JsonObject,
  parts: ConfigParts = {},
  inline?: InlineWorker,
): Agent {
  checkFields(given, AGENT_FIELDS, {
    label: 'The configuration',
    misplaced: PARTS_FIELDS,
    elsewhere: 'beside it',
  })
  if (!isJson(given)) throw configError('', 'The configuration must be plain JSON.')
  checkFields(parts, PARTS_FIELDS, {
    label: 'The second argument of agentFromConfig()',
    misplaced: AGENT_FIELDS,
    elsewhere: 'in the configuration',
  })
  const config = given as unknown as AgentConfig
  const { model } = config
  if (typeof model !== 'object' || model === null || Array.isArray(model))
    throw configError('model', 'model of the configuration must be an object.')
  const subAgents = listOf(config.agents, 'agents', 'agents')
  const names = subAgents.map((each) => String(each?.name))
  for (const name of Object.keys(parts.agents ?? {}))
    if (!names.includes(name))
      throw configError(
        'agents',
        `The configuration has no agent ${name}.${names.length > 0 ? ` ${hintAmong(name, names)}` : ''}`,
      )
  const members = subAgents.map((member, at) =>
    withErrorPath(`agents[${at}]`, () => subAgent(member, { config, parts, inline })),
  )
  return makeAgent(without(config, ['$schema', 'agents']), parts, { members, inline })
}

/** Options that sub-agents inherit from the configured agent. */
const SHARED = [
  'model',
  'values',
  'toolApproval',
  'whileTainted',
  'consent',
  'storage',
  'raw',
  'requests',
  'heartbeatMs',
] as const

/** Parts that sub-agents inherit. Keys are inherited only for the same model address. */
const SHARED_PARTS = [
  'tools',
  'skills',
  'functions',
  'memories',
  'beforeToolCall',
  'afterToolCall',
  'redact',
  'engines',
  'worker',
  'workerUrl',
] as const

const AS_TOOL = ['name', 'title', 'description', 'needsApproval', 'inputSchema', 'output'] as const

/** Makes a sub-agent a tool of the configured agent. Disposing the tool disposes the sub-agent. */
function subAgent(member: SubAgentConfig, { config, parts, inline }: SubAgentContext): Tool {
  checkFields(member, SUB_AGENT_FIELDS, {
    label: 'The agent',
    misplaced: SUB_AGENT_PARTS_FIELDS,
    elsewhere: 'beside the configuration, in agents',
  })
  const { toPrompt, ...ownParts } = parts.agents?.[member.name] ?? {}
  checkFields(ownParts, SUB_AGENT_PARTS_FIELDS, {
    label: `The entry agents.${member.name}`,
    misplaced: SUB_AGENT_FIELDS,
    elsewhere: 'in the configuration',
  })
  const ownConfig: SingleAgentConfig = { ...pick(config, SHARED), ...without(member, AS_TOOL) }
  const isSame = isSameAddress(ownConfig.model, config.model)
  const agent = makeAgent(
    ownConfig,
    {
      ...pick(parts, SHARED_PARTS),
      ...(isSame && pick(parts, ['apiKey', 'headers'])),
      ...ownParts,
    },
    { inline },
  )
  const tool = agent.asTool({ ...pick(member, AS_TOOL), ...(toPrompt && { toPrompt }) })
  return Object.assign(tool, { dispose: () => agent.dispose() })
}

interface SubAgentContext {
  readonly config: AgentConfig
  readonly parts: ConfigParts
  readonly inline: InlineWorker | undefined
}

type SingleAgentConfig = Omit<AgentConfig, '$schema' | 'agents'>

/** Creates an agent with the parts that its configuration describes or names. */
function makeAgent(
  config: SingleAgentConfig,
  parts: ConfigParts,
  {
    members = [],
    inline,
  }: { readonly members?: readonly Tool[] } & Pick<SubAgentContext, 'inline'>,
): Agent {
  const { model, reflect, ...agentOptions } = without(config, [
    'skills',
    'memory',
    'compositeTools',
  ])
  const options = without(parts, ['apiKey', 'headers', 'functions', 'memories', 'agents'])
  const secrets = pick(parts, ['apiKey', 'headers'])
  const skills = skillsOf(config, parts)
  const memory = [...memoriesIn(config, parts, agentOptions), ...memoriesOf(options)]
  const tools = [...toolsOutsideSkills(parts, skills), ...compositesOf(config, parts), ...members]
  checkEnabled(agentOptions.enabledTools, () => [
    ...tools,
    ...toolsOfSkills(skills, tools),
    ...toolsOfMemories(memory),
  ])
  return createAgent(
    {
      ...agentOptions,
      ...(reflect && { reflect: withSecrets(reflect, model, secrets) }),
      ...options,
      tools,
      memory,
      ...(skills && { skills }),
      model: { ...model, ...secrets },
    },
    inline,
  )
}

/**
 * Returns the tools that belong to no described skill. The model gets a skill's tools only while the skill is active.
 */
function toolsOutsideSkills(
  { tools, skills: passedSkills = [] }: ConfigParts,
  skills: readonly Skill[] = [],
): readonly (Tool | CompositeTool)[] {
  const describedSkills = skills.filter((skill) => !passedSkills.includes(skill))
  const skillTools = new Set(describedSkills.flatMap((skill) => skill.tools ?? []))
  return listOf(tools, 'tools', 'tools').filter((tool) => !skillTools.has(tool))
}

/** Adds the keys to the model if it has the address of the agent's model. Keys are never sent to another address. */
function withSecrets(
  { model, ...options }: NonNullable<AgentConfig['reflect']>,
  agentModel: PlainModel,
  secrets: Secrets,
): ReflectOptions {
  if (!model) return options
  const isSame = isSameAddress(model, agentModel)
  return { ...options, model: isSame ? { ...model, ...secrets } : model }
}

function isSameAddress(first: PlainModel, second: PlainModel): boolean {
  return first.provider === second.provider && first.baseURL === second.baseURL
}

/** Throws for unknown tool names. Tools added later must be enabled with `setEnabledTools`. */
function checkEnabled(enabled: unknown, listTools: () => readonly (Tool | CompositeTool)[]): void {
  if (!Array.isArray(enabled)) return
  const knownNames = listTools().map((tool) => String(tool?.name))
  enabled.forEach((name: unknown, at) => {
    if (knownNames.some((each) => each === name || cleanName(each) === name)) return
    const hint = knownNames.length > 0 ? ` ${hintAmong(String(name), knownNames)}` : ''
    const path = `enabledTools[${at}]`
    throw configError(path, `${path} names ${String(name)}, and there is no such tool.${hint}`)
  })
}

/** Picks these fields, without undefined ones. */
function pick<Value extends object, Name extends keyof Value>(
  value: Value,
  names: readonly Name[],
): Pick<Value, Name> {
  const entries = names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]]))
  return Object.fromEntries(entries) as Pick<Value, Name>
}

function without<Value extends object, Name extends keyof Value>(
  value: Value,
  names: readonly Name[],
): Omit<Value, Name> {
  const entries = Object.entries(value).filter(([name]) => !names.includes(name as Name))
  return Object.fromEntries(entries) as Omit<Value, Name>
}
