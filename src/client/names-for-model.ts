import { isRecord } from '../lib/is-record.ts'
import type { JsonSchema, JsonValue } from '../protocol/json.ts'
import { replaceInNames } from '../protocol/replace-in.ts'
import type { NamesForModel } from '../protocol/tool.ts'
import { cleanName } from './clean-name.ts'
import type { PreparedTool } from './prepare-tool.ts'

const known = new WeakMap<JsonSchema, Omit<NamesForModel, 'name'>>()

/** The tool in names that model APIs take; undefined when they take its own. */
export function namesForModel({
  name,
  modelName,
  inputSchema,
}: PreparedTool): NamesForModel | undefined {
  const renamed = known.get(inputSchema) ?? renameParameters(inputSchema)
  known.set(inputSchema, renamed)
  if (name === modelName && renamed.parameters.length === 0) return undefined
  return { name: modelName, ...renamed }
}

/** A property has the same name wherever the schema lists it, so that an input is renamed without its schema. */
function renameParameters(schema: JsonSchema): Omit<NamesForModel, 'name'> {
  const text = JSON.stringify(schema)
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const rename = (own: string): string => {
    const clean = cleanName(own) || `param${names.size + 1}`
    let model = names.get(own) ?? clean
    const isFree = (): boolean => !taken.has(model) && !text.includes(`${JSON.stringify(model)}:`)
    for (let count = 2; model !== own && !names.has(own) && !isFree(); count++)
      model = `${clean.slice(0, 60)}_${count}`
    names.set(own, model)
    taken.add(model)
    return model
  }
  // The first pass finds the names: a default may stand before the properties that it has.
  renameSchema(schema, names, rename)
  const inputSchema = renameSchema(schema, names, rename) as JsonSchema
  return { inputSchema, parameters: [...names].filter(([own, model]) => own !== model) }
}

type Rename = (own: string) => string

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
        return Array.isArray(value) ? value.map((own) => names.get(own as string) ?? own) : value
      case 'default':
      case 'const':
      case 'enum':
      case 'examples':
        return replaceInNames(value as JsonValue, (own) => names.get(own) ?? own)
      case '$ref':
        return typeof value === 'string' ? renamePointer(value, names) : value
      default:
        return inner(value)
    }
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, part(key, value)]))
}

/** A reference may lead through properties. */
function renamePointer(pointer: string, names: ReadonlyMap<string, string>): string {
  return pointer.replaceAll(/(?<=\/properties\/)[^/]+/g, (step) => {
    const plain = step.replaceAll(/%([2-7][\da-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    const own = plain.replaceAll('~1', '/').replaceAll('~0', '~')
    return names.get(own) ?? step
  })
}
