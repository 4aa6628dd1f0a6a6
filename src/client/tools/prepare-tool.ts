import type { JsonSchema } from '../../protocol/json.ts'
import { OffstageError } from '../../protocol/error.ts'
import { cleanName } from './clean-name.ts'
import { badConfig } from '../api/failures.ts'
import { checkNames, isMisspelt } from '../api/check-names.ts'
import { jsonSchemaOf } from './standard-schema.ts'
import { type CompositeTool, isComposite, type Tool } from './tool.ts'
import { findInvalidSchemaPath } from './invalid-schema.ts'

/** Schema of tools without parameters. */
const NO_PARAMETERS: JsonSchema = { type: 'object', properties: {}, additionalProperties: false }

/** A checked tool. */
export interface PreparedTool {
  readonly tool: Tool | CompositeTool
  readonly name: string
  /** The name that models get, accepted by their APIs and unique among an agent's tools. */
  readonly modelName: string
  /** True if model APIs may refuse the name of the tool, or of a parameter. */
  readonly isOddlyNamed: boolean
  readonly inputSchema: JsonSchema
  /** Set for built-in tools, which `enabledTools` doesn't limit. */
  readonly isAlwaysEnabled?: true
}

/** Finds a key in JSON that is neither a legal parameter name nor a keyword of JSON Schema. */
const ODD_KEY = /"(?!(?:\$(?:ref|defs|id|anchor|comment)|[\w-]{1,64})":)(?:[^"\\]|\\.)*":/

const preparedTools = new WeakMap<Tool | CompositeTool, PreparedTool>()

export function prepareTool(tool: Tool | CompositeTool): PreparedTool {
  const existing = preparedTools.get(tool)
  if (existing) return existing
  const modelName = typeof tool?.name === 'string' ? cleanName(tool.name) : ''
  if (!modelName)
    throw badConfig(`A tool needs a name with letters or digits (a-z, 0-9), not ${tool?.name}.`)
  const { name } = tool
  checkToolNames(tool, name)
  if (!hasFunction(tool)) throw badConfig(`The tool ${name} needs execute(), or run().`)
  if (typeof tool.description !== 'string')
    throw badConfig(`The tool ${name} needs a description: the model reads it.`)
  const { timeoutMs = 1 } = tool
  if (!(timeoutMs > 0)) throw badConfig(`timeoutMs of the tool ${name} must be above 0.`)
  const schema = toJsonSchema(tool, name)
  const entry = {
    tool,
    name,
    modelName,
    isOddlyNamed: name !== modelName || ODD_KEY.test(JSON.stringify(schema)),
    inputSchema: schema,
  }
  checkParameters(schema, name)
  preparedTools.set(tool, entry)
  return entry
}

function hasFunction(tool: Tool | CompositeTool): boolean {
  return typeof (isComposite(tool) ? tool.run : tool.execute) === 'function'
}

/**
 * Throws for unknown members. An object literal may have helper methods, unless their names look like misspelt members.
 * An instance of a class may have any members.
 */
function checkToolNames(tool: Tool | CompositeTool, name: string): void {
  const label = `the tool ${name}`
  const composite = isComposite(tool)
  if (composite) checkNames({ version: tool.version }, 'compositeTool', { label })
  const isLiteral = [Object.prototype, null].includes(Object.getPrototypeOf(tool))
  checkNames(tool, 'tool', {
    label,
    allows: (key, value) =>
      !isLiteral ||
      (composite && (key === 'run' || key === 'version')) ||
      (typeof value === 'function' && !isMisspelt(key, 'tool', 2)),
  })
}

/** Returns the checked schema that the model gets. */
export function toJsonSchema(
  { inputSchema, jsonSchema }: Pick<Tool, 'inputSchema' | 'jsonSchema'>,
  name: string,
): JsonSchema {
  const path = `inputSchema of the tool ${name}`
  const schema = plainSchema(
    jsonSchemaOf(jsonSchema ?? inputSchema ?? {}, `of the tool ${name}`),
    path,
  )
  checkSchema(schema, path)
  if (!describesObject(schema)) throw invalidSchema(path)
  const { $schema: _dialect, ...fields } = schema
  return Object.keys(fields).length ? { type: 'object', ...fields } : NO_PARAMETERS
}

/** Maximum nesting of a schema: more than any real schema has, but safe for the call stack. */
const MAX_DEPTH = 500

/** Copies the schema as JSON, so that it can be posted to the worker. Throws `schema-invalid` if it isn't JSON. */
export function plainSchema(schema: unknown, path: string): unknown {
  let text: string | undefined
  try {
    text = JSON.stringify(schema)
  } catch {
    // Circular or unreadable schemas are reported below.
  }
  if (text === undefined || isDeeper(text, MAX_DEPTH))
    throw new OffstageError(
      'schema-invalid',
      `${path} can't be written as JSON: it holds itself, is nested deeper than ${MAX_DEPTH} levels, or is no plain data.`,
    )
  return JSON.parse(text)
}

/** Whether JSON is nested deeper than `levels`. */
export function isDeeper(json: string, levels: number): boolean {
  let depth = 0
  for (const [bracket] of json.matchAll(/"(?:\\.|[^"\\])*"|[[{}\]]/g)) {
    if (bracket === '[' || bracket === '{') depth += 1
    else if (bracket === ']' || bracket === '}') depth -= 1
    if (depth > levels) return true
  }
  return false
}

/** Throws `schema-invalid` unless the value is a JSON Schema. */
export function checkSchema(schema: unknown, path: string): asserts schema is JsonSchema {
  const invalidPath = findInvalidSchemaPath(schema, path)
  if (invalidPath !== null) throw invalidSchema(invalidPath)
}

function describesObject(schema: JsonSchema): boolean {
  const keys = Object.keys(schema)
  return schema.type === undefined
    ? !keys.length || keys.some((key) => /^(properties|anyOf|oneOf|allOf|\$ref)$/.test(key))
    : schema.type === 'object'
}

function invalidSchema(path: string): OffstageError {
  return new OffstageError(
    'schema-invalid',
    `${path} is no Standard Schema and no JSON Schema like { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }.`,
  )
}

/** Throws `duplicate-tool` for parameters that become equal for the model. */
function checkParameters({ properties = {} }: JsonSchema, toolName: string): void {
  const ownNames = new Map<string, string>()
  for (const ownName of Object.keys(properties as object)) {
    const clean = cleanName(ownName)
    const other = clean && ownNames.get(clean)
    if (other)
      throw new OffstageError(
        'duplicate-tool',
        `The parameters ${other} and ${ownName} of the tool ${toolName} both become ${clean} for the model. Rename one.`,
      )
    ownNames.set(clean, ownName)
  }
}
