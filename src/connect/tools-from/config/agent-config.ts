import type {
  AgentOptions,
  ApprovalPolicy,
  CompactionOptions,
  ModelConfig,
  ReflectOptions,
  SubAgentOptions,
} from '../../../client/api/options.ts'
import type { AgentMemory } from '../../../client/features/memory.ts'
import type { Skill } from '../../../client/features/skill.ts'
import type { CompositeTool } from '../../../client/tools/tool.ts'
import type { BlackboardOptions } from '../../../memory/blackboard.ts'
import type { KeptMemoryOptions } from '../../../memory/memory.ts'
import type { JsonSchema } from '../../../protocol/json.ts'

export type Secrets = Pick<ModelConfig, 'apiKey' | 'headers'>
export type PlainModel = Omit<ModelConfig, keyof Secrets>

/** Options of `createAgent` that each agent of a configuration may set. */
type OwnPlain =
  | 'instructions'
  | 'values'
  | 'enabledTools'
  | 'controlTools'
  | 'questionFields'
  | 'whileTainted'
  | 'maxSteps'
  | 'retries'
  | 'verifyRounds'
  | 'verifyTimeoutMs'
  | 'limits'
  | 'raw'
  | 'requests'

/** Options of `createAgent` that apply to all agents of a configuration. */
type SharedPlain = 'consent' | 'maxChildren' | 'storage' | 'retention' | 'heartbeatMs'

type Plain = OwnPlain | SharedPlain

/** A composite tool. Its function is passed along with the configuration. */
export interface CompositeToolConfig extends Pick<
  CompositeTool,
  'name' | 'title' | 'description' | 'annotations' | 'timeoutMs' | 'sequential' | 'version'
> {
  readonly inputSchema?: JsonSchema
  readonly needsApproval?: boolean
  /** Name of the function, in the `functions` that are passed along with the configuration. */
  readonly run: string
}

/** A skill as `defineSkill` takes it. */
export interface SkillConfig extends Pick<
  Skill,
  'name' | 'description' | 'instructions' | 'restrictTools' | 'loaded'
> {
  /** Texts by path. */
  readonly files?: { readonly [path: string]: string }
  /** Names of tools passed along with the configuration. The model gets them only while the skill is active. */
  readonly tools?: readonly string[]
}

/**
 * Memory of a configuration. `kind` names the function in `memories` that makes it. The function gets the other fields
 * as options.
 */
export interface KeptMemoryConfig extends KeptMemoryOptions {
  readonly kind: 'keywordMemory' | 'recentMemory' | 'embeddingMemory'
}

/** Blackboard of a configuration. The function `blackboard` in `memories` makes it. */
export interface BlackboardConfig extends BlackboardOptions {
  readonly kind: 'blackboard'
}

/** A memory: a name in `memories`, or the kind and options of a memory. */
export type MemoryConfig = string | KeptMemoryConfig | BlackboardConfig

interface OwnConfig extends Pick<AgentOptions, OwnPlain> {
  readonly toolApproval?: Extract<ApprovalPolicy, string>
  readonly compaction?:
    | (Omit<CompactionOptions, 'policy'> & {
        readonly policy?: Extract<CompactionOptions['policy'], string>
      })
    | false
  /** A model with the provider and address of the agent's model uses the agent's key and headers. */
  readonly reflect?: Omit<ReflectOptions, 'model'> & { readonly model?: PlainModel }
  /** Skills, or names of skills passed along with the configuration. Default: all that are passed. */
  readonly skills?: readonly (string | SkillConfig)[]
  readonly memory?: readonly MemoryConfig[]
  readonly compositeTools?: readonly CompositeToolConfig[]
}

/** A sub-agent, which the configured agent can call as a tool. */
export interface SubAgentConfig
  extends OwnConfig, Pick<SubAgentOptions, 'name' | 'title' | 'description' | 'needsApproval'> {
  /** Default: the configured agent's model. A model at the same address uses the same key and headers. */
  readonly model?: PlainModel
  readonly inputSchema?: JsonSchema
  readonly output?: JsonSchema
}

/** The part of an agent, or of a team of agents, that JSON can hold. The fields are those of `createAgent`. */
export interface AgentConfig extends OwnConfig, Pick<AgentOptions, SharedPlain> {
  /** Address of the JSON Schema, for editors: `offstage/agent.schema.json`. */
  readonly $schema?: string
  readonly model: PlainModel
  readonly agents?: readonly SubAgentConfig[]
}

/** Functions and memories that all agents of the configuration refer to by name. */
interface Registries {
  /** Functions for `run` of `compositeTools`. */
  readonly functions?: { readonly [name: string]: CompositeTool['run'] }
  /**
   * Memories by name. Also functions by kind, which make a memory from the configuration's options, such as `{
   * keywordMemory }` of `offstage/memory`.
   */
  readonly memories?: { readonly [name: string]: AgentMemory | ((options: never) => AgentMemory) }
}

type Functions = Omit<AgentOptions, Plain | 'model' | 'toolApproval' | 'compaction'>

/** Functions and objects of the page, which JSON can't hold. */
export interface ConfigParts extends Functions, Secrets, Registries {
  /** Functions and objects for the configuration's sub-agents, by agent name. */
  readonly agents?: { readonly [name: string]: SubAgentParts }
}

/**
 * Functions and objects for one sub-agent. Missing `tools`, `skills`, call hooks and keys are inherited from the
 * configured agent.
 */
export interface SubAgentParts
  extends
    Omit<Functions, 'engines' | 'redact' | 'titles' | 'worker' | 'workerUrl'>,
    Secrets,
    Pick<SubAgentOptions, 'toPrompt'> {}
