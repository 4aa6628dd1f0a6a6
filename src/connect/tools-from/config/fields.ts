import type {
  AgentConfig,
  CompositeToolConfig,
  ConfigParts,
  MemoryConfig,
  SkillConfig,
  SubAgentConfig,
  SubAgentParts,
} from './agent-config.ts'

/** Names of known fields. Errors suggest the first similar one. Takes a record, so a missing field doesn't compile. */
const namesOf = <Name extends string>(record: Record<Name, true>): readonly string[] =>
  Object.keys(record)

type Kind = Exclude<MemoryConfig, string>['kind']
type OptionsOf<Name extends Kind> =
  Extract<Exclude<MemoryConfig, string>, { readonly kind: Name }> extends infer Options
    ? keyof Options & string
    : never

const OWN = {
  model: true,
  instructions: true,
  values: true,
  enabledTools: true,
  controlTools: true,
  skills: true,
  memory: true,
  compositeTools: true,
  compaction: true,
  questionFields: true,
  toolApproval: true,
  whileTainted: true,
  maxSteps: true,
  retries: true,
  verifyRounds: true,
  verifyTimeoutMs: true,
  reflect: true,
  limits: true,
  raw: true,
  requests: true,
} as const

export const AGENT: readonly string[] = namesOf<keyof AgentConfig>({
  ...OWN,
  agents: true,
  consent: true,
  maxChildren: true,
  storage: true,
  retention: true,
  heartbeatMs: true,
  $schema: true,
})

export const SUB_AGENT: readonly string[] = namesOf<keyof SubAgentConfig>({
  ...OWN,
  name: true,
  title: true,
  description: true,
  needsApproval: true,
  inputSchema: true,
  output: true,
})

const OWN_PARTS = {
  tools: true,
  skills: true,
  apiKey: true,
  headers: true,
  context: true,
  memory: true,
  beforeToolCall: true,
  afterToolCall: true,
  beforeModel: true,
  verify: true,
  reflect: true,
} as const

export const PARTS: readonly string[] = namesOf<keyof ConfigParts>({
  ...OWN_PARTS,
  titles: true,
  redact: true,
  engines: true,
  worker: true,
  workerUrl: true,
  functions: true,
  memories: true,
  agents: true,
})

export const SUB_AGENT_PARTS: readonly string[] = namesOf<keyof SubAgentParts>({
  ...OWN_PARTS,
  toPrompt: true,
})

export const SKILL: readonly string[] = namesOf<keyof SkillConfig>({
  name: true,
  description: true,
  instructions: true,
  files: true,
  tools: true,
  restrictTools: true,
  loaded: true,
})

export const COMPOSITE: readonly string[] = namesOf<keyof CompositeToolConfig>({
  name: true,
  title: true,
  description: true,
  inputSchema: true,
  annotations: true,
  needsApproval: true,
  timeoutMs: true,
  sequential: true,
  version: true,
  run: true,
})

const KEPT = namesOf<OptionsOf<'keywordMemory'>>({
  kind: true,
  scope: true,
  storage: true,
  tools: true,
  writeBack: true,
  maxEntries: true,
})

export const MEMORIES: Readonly<Record<Kind, readonly string[]>> = {
  keywordMemory: KEPT,
  recentMemory: KEPT,
  embeddingMemory: KEPT,
  blackboard: namesOf<OptionsOf<'blackboard'>>({
    kind: true,
    scope: true,
    storage: true,
    blocks: true,
  }),
}
