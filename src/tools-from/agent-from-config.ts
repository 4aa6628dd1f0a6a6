import { isJson } from '../lib/is-json.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Agent } from '../client/agent.ts'
import { hintAmong } from '../client/check-names.ts'
import { cleanName } from '../client/clean-name.ts'
import { createAgent } from '../client/create-agent.ts'
import { badConfig } from '../client/failures.ts'
import type {
  AgentOptions,
  ApprovalPolicy,
  ModelConfig,
  ReflectOptions,
} from '../client/options.ts'
import type { Skill } from '../client/skill.ts'
import type { InlineWorker } from '../client/worker-start.ts'

type Plain =
  | 'instructions'
  | 'values'
  | 'enabledTools'
  | 'controlTools'
  | 'compaction'
  | 'questionFields'
  | 'whileTainted'
  | 'consent'
  | 'maxSteps'
  | 'retries'
  | 'maxChildren'
  | 'verifyRounds'
  | 'verifyTimeoutMs'
  | 'limits'
  | 'storage'
  | 'retention'
  | 'raw'
  | 'requests'
  | 'heartbeatMs'

type Secrets = Pick<ModelConfig, 'apiKey' | 'headers'>
type PlainModel = Omit<ModelConfig, keyof Secrets>

/** What of an agent can be written as JSON. Its fields are `createAgent`'s. */
export interface AgentConfig extends Pick<AgentOptions, Plain> {
  readonly model: PlainModel
  readonly toolApproval?: Extract<ApprovalPolicy, string>
  /** Names of those that stand beside the configuration. Default: all of them. */
  readonly skills?: readonly string[]
  /** A model of the same provider and address as the agent's is reached with the same key and headers. */
  readonly reflect?: Omit<ReflectOptions, 'model'> & { readonly model?: PlainModel }
}

/** What can't: functions and objects of the page. */
export interface ConfigParts
  extends Omit<AgentOptions, Plain | 'model' | 'toolApproval'>, Secrets {}

// Records, so that none is missing: an option that is new doesn't compile until it has its place.
const FIELDS = Object.keys({
  model: true,
  instructions: true,
  values: true,
  enabledTools: true,
  controlTools: true,
  skills: true,
  compaction: true,
  questionFields: true,
  toolApproval: true,
  whileTainted: true,
  consent: true,
  maxSteps: true,
  retries: true,
  maxChildren: true,
  verifyRounds: true,
  verifyTimeoutMs: true,
  reflect: true,
  limits: true,
  storage: true,
  retention: true,
  raw: true,
  requests: true,
  heartbeatMs: true,
} satisfies Record<keyof AgentConfig, true>)

const PARTS = Object.keys({
  tools: true,
  skills: true,
  apiKey: true,
  headers: true,
  context: true,
  memory: true,
  titles: true,
  beforeToolCall: true,
  afterToolCall: true,
  beforeModel: true,
  redact: true,
  verify: true,
  reflect: true,
  engines: true,
  worker: true,
  workerUrl: true,
} satisfies Record<keyof ConfigParts, true>)

/** An agent as a configuration says. Throws `invalid-config`, naming what is wrong with it. */
export function agentFromConfig(
  config: AgentConfig | JsonObject,
  parts: ConfigParts = {},
  inline?: InlineWorker,
): Agent {
  checkFields(config, FIELDS, { of: 'The configuration', others: PARTS, elsewhere: 'beside it' })
  if (!isJson(config)) throw badConfig('The configuration must be plain JSON.')
  checkFields(parts, PARTS, {
    of: 'What stands beside the configuration',
    others: FIELDS,
    elsewhere: 'in the configuration',
  })
  const { apiKey, headers, ...options } = parts
  const { model, skills: named, reflect, ...fields } = config as unknown as AgentConfig
  if (typeof model !== 'object' || model === null || Array.isArray(model))
    throw badConfig('model of the configuration must be an object.')
  checkEnabled(fields.enabledTools, options.tools)
  const skills = named === undefined ? options.skills : chosenSkills(named, options.skills)
  const secrets = { ...(apiKey && { apiKey }), ...(headers && { headers }) }
  const agentOptions = {
    ...fields,
    ...(reflect && { reflect: withSecrets(reflect, model, secrets) }),
    ...options,
    ...(skills && { skills }),
  }
  return createAgent({ ...agentOptions, model: { ...model, ...secrets } }, inline)
}

/** Keys are for one address: another one's model gets none. */
function withSecrets(
  reflect: NonNullable<AgentConfig['reflect']>,
  { provider, baseURL }: PlainModel,
  secrets: Secrets,
): ReflectOptions {
  const { model, ...others } = reflect
  if (!model) return others
  const isSame = model.provider === provider && model.baseURL === baseURL
  return { ...others, model: isSame ? { ...model, ...secrets } : model }
}

function checkFields(
  value: unknown,
  known: readonly string[],
  where: { readonly of: string; readonly others: readonly string[]; readonly elsewhere: string },
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badConfig(`${where.of} must be an object.`)
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue
    const hint = where.others.includes(name) ? ` It goes ${where.elsewhere}.` : ''
    throw badConfig(`${where.of} has no ${name}.${hint} ${hintAmong(name, known)}`)
  }
}

/** Later tools can be enabled with `setEnabledTools`; here, a name that none has is a mistake. */
function checkEnabled(enabled: unknown, tools: ConfigParts['tools'] = []): void {
  if (!Array.isArray(enabled)) return
  const known = tools.map((tool) => String(tool?.name))
  for (const name of enabled as unknown[]) {
    if (known.some((each) => each === name || cleanName(each) === name)) continue
    const hint = known.length ? ` ${hintAmong(String(name), known)}` : ''
    throw badConfig(`enabledTools names ${String(name)}, and there is no such tool.${hint}`)
  }
}

function chosenSkills(names: unknown, skills: ConfigParts['skills'] = []): readonly Skill[] {
  if (!Array.isArray(names)) throw badConfig('skills of the configuration must be a list of names.')
  return names.map((name: unknown) => {
    const skill = skills.find((each) => each?.name === name)
    if (skill) return skill
    const known = skills.map((each) => String(each?.name))
    const hint = known.length ? ` ${hintAmong(String(name), known)}` : ''
    throw badConfig(
      `skills names ${String(name)}, and there is no such skill beside the configuration.${hint}`,
    )
  })
}
