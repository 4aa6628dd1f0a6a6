import type {
  AgentConfig,
  CompositeToolConfig,
  ConfigParts,
  MemoryConfig,
  SkillConfig,
  SubAgentConfig,
  SubAgentParts,
} from './agent-config.ts'
import { hintAmong } from '../../../client/api/check-names.ts'
import { OffstageError } from '../../../protocol/error.ts'

/**
 * Returns the names of known fields, of which errors suggest the first similar one. Takes a record, so that a missing
 * field doesn't compile.
 */
const namesOf = <Name extends string>(record: Record<Name, true>): readonly string[] =>
  Object.keys(record)

type Kind = Exclude<MemoryConfig, string>['kind']
type OptionsOf<Name extends Kind> =
  Extract<Exclude<MemoryConfig, string>, { readonly kind: Name }> extends infer Options
    ? keyof Options & string
    : never

const COMMON = {
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

export const AGENT_FIELDS: readonly string[] = namesOf<keyof AgentConfig>({
  ...COMMON,
  agents: true,
  consent: true,
  maxChildren: true,
  storage: true,
  retention: true,
  heartbeatMs: true,
  $schema: true,
})

export const SUB_AGENT_FIELDS: readonly string[] = namesOf<keyof SubAgentConfig>({
  ...COMMON,
  name: true,
  title: true,
  description: true,
  needsApproval: true,
  inputSchema: true,
  output: true,
})

const COMMON_PARTS = {
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

export const PARTS_FIELDS: readonly string[] = namesOf<keyof ConfigParts>({
  ...COMMON_PARTS,
  titles: true,
  redact: true,
  engines: true,
  worker: true,
  workerUrl: true,
  functions: true,
  memories: true,
  agents: true,
})

export const SUB_AGENT_PARTS_FIELDS: readonly string[] = namesOf<keyof SubAgentParts>({
  ...COMMON_PARTS,
  toPrompt: true,
})

export const SKILL_FIELDS: readonly string[] = namesOf<keyof SkillConfig>({
  name: true,
  description: true,
  instructions: true,
  files: true,
  tools: true,
  restrictTools: true,
  loaded: true,
})

export const COMPOSITE_TOOL_FIELDS: readonly string[] = namesOf<keyof CompositeToolConfig>({
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

const KEPT_MEMORY = namesOf<OptionsOf<'keywordMemory'>>({
  kind: true,
  scope: true,
  storage: true,
  tools: true,
  writeBack: true,
  maxEntries: true,
})

export const MEMORY_FIELDS: Readonly<Record<Kind, readonly string[]>> = {
  keywordMemory: KEPT_MEMORY,
  recentMemory: KEPT_MEMORY,
  embeddingMemory: KEPT_MEMORY,
  blackboard: namesOf<OptionsOf<'blackboard'>>({
    kind: true,
    scope: true,
    storage: true,
    blocks: true,
  }),
}

/** `path`: the place in the configuration, such as `agents[1].memory[0].kind`. */
export function configError(path: string, message: string): OffstageError {
  return new OffstageError('invalid-config', message, { details: { path } })
}

/** Runs `operation`. Adds this part of the configuration to the message and `details.path` of its errors. */
export function withErrorPath<Value>(outerPath: string, operation: () => Value): Value {
  try {
    return operation()
  } catch (cause) {
    if (!OffstageError.is(cause)) throw cause
    const innerPath = cause.details?.['path']
    const path =
      typeof innerPath === 'string' && innerPath !== ''
        ? joinPaths(outerPath, innerPath)
        : outerPath
    const details = { ...cause.details, path }
    throw new OffstageError(cause.code, `${outerPath}: ${cause.message}`, { cause, details })
  }
}

function joinPaths(outer: string, inner: string): string {
  return inner.startsWith('[') ? `${outer}${inner}` : `${outer}.${inner}`
}

/** Throws for an unknown field. `misplaced`: fields that belong elsewhere; `elsewhere` names the right place. */
export function checkFields(
  value: unknown,
  knownFields: readonly string[],
  {
    label,
    misplaced = [],
    elsewhere = '',
  }: {
    readonly label: string
    readonly misplaced?: readonly string[]
    readonly elsewhere?: string
  },
): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw configError('', `${label} must be an object.`)
  for (const name of Object.keys(value)) {
    if (knownFields.includes(name)) continue
    const hint = misplaced.includes(name) ? ` It goes ${elsewhere}.` : ''
    throw configError(name, `${label} has no ${name}.${hint} ${hintAmong(name, knownFields)}`)
  }
}

/** Items of an optional list. Throws if the field isn't a list. */
export function listOf<Item>(
  value: readonly Item[] | undefined,
  field: string,
  items: string,
): readonly Item[] {
  if (value === undefined || Array.isArray(value)) return value ?? []
  throw configError(field, `${field} must be a list of ${items}.`)
}

/** Finds an item that was passed along with the configuration. Throws if the name is unknown. */
export function findNamed<Value>(
  path: string,
  {
    name,
    kind,
    candidates,
  }: { name: unknown; kind: string; candidates: ReadonlyMap<unknown, Value> },
): Value {
  const found = candidates.get(name)
  if (found !== undefined) return found
  const hint =
    candidates.size > 0 ? ` ${hintAmong(String(name), [...candidates.keys()].map(String))}` : ''
  throw configError(
    path,
    `${path} names ${String(name)}, and there is no such ${kind} beside the configuration.${hint}`,
  )
}
