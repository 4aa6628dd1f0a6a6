import { isRecord } from '../../lib/is-record.ts'
import type { JsonObject, JsonSchema, JsonValue } from '../../protocol/json.ts'
import type { NamesForModel, ToolDescriptor } from '../../protocol/tool.ts'
import type { AgentConfig } from '../api/agent-config.ts'
import { hintAmong } from '../api/check-names.ts'
import { cleanName } from './clean-name.ts'
import type { PreparedTool } from './prepare-tool.ts'
import type { ToolRegistry } from './tool-registry.ts'
import type { VerifierParts } from '../features/hooks.ts'

type Agent = Pick<VerifierParts, 'warn'> & {
  readonly config: AgentConfig
  readonly registry: ToolRegistry
}

/** Adds names for the model to the tools that need them. */
export function withNamesForModel(
  tools: readonly ToolDescriptor[],
  registry: ToolRegistry,
): ToolDescriptor[] {
  return tools.map((tool) => {
    const entry = tool.control ? undefined : registry.get(tool.name)
    const forModel = entry && namesForModel(entry)
    return forModel ? { ...tool, forModel } : tool
  })
}

/** Warns once about each name in `enabledTools` and `toolChoice` that no tool has. `warned` collects the names. */
export function checkToolNames(
  { config, registry, warn }: Agent,
  tools: readonly ToolDescriptor[],
  warned: Set<string>,
): void {
  const { toolChoice } = config.model
  const chosen = typeof toolChoice === 'object' ? [toolChoice.toolName] : []
  for (const name of [...(registry.enabledNames ?? []), ...chosen]) {
    if (warned.has(name) || registry.get(name) || tools.some((tool) => tool.name === name)) continue
    warned.add(name)
    const option = chosen.includes(name) ? 'toolChoice' : 'enabledTools'
    const knownNames = registry.all().map((entry) => entry.name)
    warn(
      'unknown-tool',
      `${option} names ${name}, a tool that this agent does not have. ${hintAmong(name, knownNames)}`,
    )
  }
}

const renamedSchemas = new WeakMap<JsonSchema, Omit<NamesForModel, 'name'>>()

/** Names that model APIs accept for the tool and its parameters. Undefined if they accept the original names. */
function namesForModel({ name, modelName, inputSchema }: PreparedTool): NamesForModel | undefined {
  const renamed = renamedSchemas.get(inputSchema) ?? renameParameters(inputSchema)
  renamedSchemas.set(inputSchema, renamed)
  if (name === modelName && renamed.parameters.length === 0) return undefined
  return { name: modelName, ...renamed }
}

/** Renames a property in the same way everywhere in the schema, so that inputs can be renamed without the schema. */
function renameParameters(schema: JsonSchema): Omit<NamesForModel, 'name'> {
  const text = JSON.stringify(schema)
  const names = new Map<string, string>()
  const usedNames = new Set<string>()
  const rename = (ownName: string): string => {
    const clean = cleanName(ownName) || `param${names.size + 1}`
    let model = names.get(ownName) ?? clean
    const isFree = (): boolean =>
      !usedNames.has(model) && !text.includes(`${JSON.stringify(model)}:`)
    for (let count = 2; model !== ownName && !names.has(ownName) && !isFree(); count++)
      model = `${clean.slice(0, 60)}_${count}`
    names.set(ownName, model)
    usedNames.add(model)
    return model
  }
  // The first pass collects the names: a `default` may precede the properties that it uses.
  renameSchema(schema, names, rename)
  const inputSchema = renameSchema(schema, names, rename) as JsonSchema
  return { inputSchema, parameters: [...names].filter(([ownName, model]) => ownName !== model) }
}

type Rename = (ownName: string) => string

function renameSchema(
  schema: unknown,
  names: ReadonlyMap<string, string>,
  rename: Rename,
): unknown {
  const inner = (value: unknown): unknown => renameSchema(value, names, rename)
  if (Array.isArray(schema)) return schema.map(inner)
  if (!isRecord(schema)) return schema
  const entries = (value: unknown, name: Rename): unknown =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [name(key), inner(each)]))
      : value
  const part = (keyword: string, value: unknown): unknown => {
    switch (keyword) {
      case 'properties':
        return entries(value, rename)
      case '$defs':
      case 'definitions':
      case 'patternProperties':
        return entries(value, (key) => key)
      case 'required':
        return Array.isArray(value)
          ? value.map((ownName) => names.get(ownName as string) ?? ownName)
          : value
      case 'default':
      case 'const':
      case 'enum':
      case 'examples':
        return renameKeys(value as JsonValue, names)
      case '$ref':
        return typeof value === 'string' ? renamePointer(value, names) : value
      default:
        return inner(value)
    }
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, part(key, value)]))
}

/** Replaces the keys of objects, at any depth. */
function renameKeys(value: JsonValue, names: ReadonlyMap<string, string>): JsonValue {
  if (Array.isArray(value)) return value.map((each: JsonValue) => renameKeys(each, names))
  if (!isRecord(value)) return value
  const entries = Object.entries(value as JsonObject)
  return Object.fromEntries(
    entries.map(([name, each]) => [names.get(name) ?? name, renameKeys(each, names)]),
  )
}

/** Converts an input to the tool's own parameter names: conversations of earlier versions contain the model's names. */
export function inOwnNames(entry: PreparedTool, input: JsonValue): JsonValue {
  const { parameters = [] } = namesForModel(entry) ?? {}
  return renameKeys(input, new Map(parameters.map(([ownName, model]) => [model, ownName])))
}

/** Renames the properties in a `$ref`, such as `#/properties/name`. */
function renamePointer(pointer: string, names: ReadonlyMap<string, string>): string {
  return pointer.replaceAll(/(?<=\/properties\/)[^/]+/g, (step) => {
    const plain = step.replaceAll(/%([2-7][\da-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    const ownName = plain.replaceAll('~1', '/').replaceAll('~0', '~')
    return names.get(ownName) ?? step
  })
}
