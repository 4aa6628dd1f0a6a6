import type { JsonObject, JsonValue } from '../protocol/json.ts'
import { CallProblem, ValueProblem } from './call-problem.ts'
import { isRecord } from '../lib/shape.ts'
import { propertySchema, type Shape, admitsText, isUntyped, type TypeName } from './schema.ts'
import { suggestName } from './suggest.ts'
import {
  describeParameters,
  type IndexedTool,
  type ToolIndex,
  describeShape,
  quote,
} from './tool-index.ts'
import { isInexact, JSON_TOKENS } from '../lib/json/exact-numbers.ts'

/** A call that may run. */
export interface ActionCall {
  readonly toolName: string
  readonly input: JsonObject
}

/**
 * Builds the input of a call from its parameters. Reports all problems at once, so that the model can correct the call
 * in one step. Throws `CallProblem`.
 */
export function readArguments<Value>(
  tool: IndexedTool,
  entries: Iterable<readonly [string, Value]>,
  coerce: (value: Value, shape: Shape) => JsonValue,
): ActionCall {
  const input: Record<string, JsonValue> = {}
  const values = new Map<string, Value>()
  const repeated = new Set<string>()
  for (const [name, value] of entries) {
    if (values.has(name)) repeated.add(name)
    values.set(name, value)
  }
  const problems = new ParameterProblems(tool, values)
  for (const name of repeated) problems.value(name, new ValueProblem('given more than once'))
  for (const [name, value] of values) {
    const schema = propertySchema(tool.input, name)
    if (schema === undefined || schema === false) {
      problems.unknown(name)
      continue
    }
    try {
      setOwn(input, name, coerce(value, tool.reader.shape(schema)))
    } catch (thrown) {
      if (!(thrown instanceof ValueProblem)) throw thrown
      problems.value(name, thrown)
    }
  }
  for (const name of tool.input.required) if (!values.has(name)) problems.missing(name)
  problems.throwIfAny()
  return { toolName: tool.name, input }
}

class ParameterProblems {
  readonly #tool: IndexedTool
  readonly #values: ReadonlyMap<string, unknown>
  readonly #descriptions: string[] = []
  #suggestion: string | undefined

  constructor(tool: IndexedTool, values: ReadonlyMap<string, unknown>) {
    this.#tool = tool
    this.#values = values
  }

  unknown(name: string): void {
    const all = [...this.#tool.input.properties.keys()]
    const unused = all.filter((candidate) => !this.#values.has(candidate))
    const suggestion = suggestName(name, unused) ?? suggestName(name, all)
    this.#suggestion ??= suggestion
    const hint = suggestion === undefined ? '' : `, did you mean '${suggestion}'?`
    this.#descriptions.push(`unknown parameter '${name}'${hint}`)
  }

  value(name: string, problem: ValueProblem): void {
    this.#suggestion ??= problem.suggestion
    this.#descriptions.push(`parameter '${name}': ${problem.message}`)
  }

  missing(name: string): void {
    if (this.#suggestion !== name) this.#descriptions.push(`missing required parameter '${name}'`)
  }

  throwIfAny(): void {
    if (this.#descriptions.length === 0) return
    throw invalidParameters(this.#tool, this.#descriptions.join('; '), this.#suggestion)
  }
}

export function invalidParameters(
  tool: IndexedTool,
  problem: string,
  suggestion?: string,
): CallProblem {
  const period = problem.endsWith('?') ? '' : '.'
  const message = `Invalid parameters for ${tool.name}: ${problem}${period} Expected: ${describeParameters(tool)}.`
  return new CallProblem('invalid_params', message, suggestion)
}

/** Reads a call with JSON arguments: an object, its text, or nothing. Throws `CallProblem`. */
export function readJsonCall(tool: IndexedTool, args: JsonValue | undefined): ActionCall {
  const value = typeof args === 'string' ? parseArguments(args) : (args ?? {})
  if (!isRecord(value)) throw invalidParameters(tool, 'expected an object of parameters')
  return readArguments(tool, Object.entries(value) as [string, JsonValue][], coerceJson)
}

function parseArguments(text: string): unknown {
  return text.trim() === '' ? {} : parseBoundedJson(text)
}

/** The tool with this name. Throws `CallProblem` with a suggestion if there is none. */
export function requireTool(name: string, index: ToolIndex): IndexedTool {
  const tool = index.find(name)
  if (tool) return tool
  throw unknownTool(
    name,
    index.tools.map((entry) => entry.name),
  )
}

/** The problem of a call to an unknown tool. */
export function unknownTool(name: string, names: readonly string[]): CallProblem {
  const suggestion = suggestName(name, names)
  const hint = suggestion ? `, did you mean '${suggestion}'?` : '.'
  const list = names.length > 40 ? [...names.slice(0, 40), '…'] : names
  return new CallProblem(
    'unknown_tool',
    `Unknown tool '${name}'${hint} Available tools: ${list.join(', ') || 'none'}.`,
    suggestion,
  )
}

/** Deeper than any tool's input, but safe for recursion. */
const MAX_DEPTH = 500

/**
 * Parses JSON. Undefined if the text isn't JSON, repeats a key, or is nested too deeply. Numbers that a double would
 * round become texts: they stay exact where a tool accepts text, and are refused where it requires numbers.
 */
export function parseBoundedJson(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(quoteInexact(text)) as JsonValue
    return isSound(text) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether nesting is within the limit and no key is repeated. `JSON.parse` would silently keep the last. */
function isSound(json: string): boolean {
  const keys: Set<string>[] = []
  for (const [sign, key] of json.matchAll(/("(?:\\.|[^"\\])*")\s*:|"(?:\\.|[^"\\])*"|[[{}\]]/g)) {
    if (key !== undefined) {
      const siblingKeys = keys.at(-1)
      const name = JSON.parse(key) as string
      if (siblingKeys?.has(name)) return false
      siblingKeys?.add(name)
    } else if (sign === '[' || sign === '{') keys.push(new Set())
    else if (sign === ']' || sign === '}') keys.pop()
    if (keys.length > MAX_DEPTH) return false
  }
  return true
}

/** Puts quotes around numbers that parsing would round. */
function quoteInexact(json: string): string {
  return json.replace(JSON_TOKENS, (token) => (isInexact(token) ? `"${token}"` : token))
}

/** Deepest nesting allowed, in markup and in JSON. */
export const maxDepth = 100

const numberPattern = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** Converts a text to the type in its schema (R12, R15). Throws `ValueProblem`. */
export function coerceText(text: string, shape: Shape): JsonValue {
  if (isUntyped(shape)) return text
  if (shape.options) return matchOption(text, shape)
  const branches = shape.branches ?? byType(shape)
  if (branches.length > 1)
    return firstFit(branches, shape, (branch) => coerceToBranch(text, branch))
  const single = branches[0]
  return single?.branches || single?.options
    ? coerceText(text, single)
    : coerceToType(text, single ?? shape)

  function coerceToBranch(value: string, branch: Shape): JsonValue {
    if (branch.types.includes('array') && branch.types.length === 1)
      throw new ValueProblem('a list needs <item> elements')
    if (value === '' && branch.types[0] === 'null' && admitsText(shape))
      throw new ValueProblem('the empty string is text')
    const coerced = coerceText(value, branch)
    if (typeof coerced === 'string' || coerced === null || !admitsText(shape)) return coerced
    if (typeof coerced === 'object' || String(coerced) === value.trim()) return coerced
    throw new ValueProblem('not exactly that value')
  }
}

/**
 * Splits a schema with several types into one branch per type. `null` comes first, because only the text `null` matches
 * it.
 */
function byType(shape: Shape): readonly Shape[] {
  const ordered = shape.types.toSorted((a, b) => Number(b === 'null') - Number(a === 'null'))
  return ordered.map((type) => ({ ...shape, types: [type] }))
}

/** Returns the result of the first branch that accepts the value. Tries `null` branches first (R15). */
export function firstFit(
  branches: readonly Shape[],
  shape: Shape,
  attempt: (branch: Shape) => JsonValue,
): JsonValue {
  const nullFirst = branches.toSorted((a, b) => Number(isNull(b)) - Number(isNull(a)))
  return coerceToFirst(nullFirst, shape, attempt)
}

function coerceToFirst(
  branches: readonly Shape[],
  shape: Shape,
  attempt: (branch: Shape) => JsonValue,
): JsonValue {
  let problem: ValueProblem | undefined
  for (const branch of branches) {
    try {
      return attempt(branch)
    } catch (thrown) {
      if (!(thrown instanceof ValueProblem)) throw thrown
      if (!isNull(branch)) problem ??= thrown
    }
  }
  throw new ValueProblem(
    `expected ${describeShape(shape)}${problem ? ` (${problem.message})` : ''}`,
    problem?.suggestion,
  )
}

function isNull({ types }: Shape): boolean {
  return types.length === 1 && types[0] === 'null'
}

function coerceToType(text: string, shape: Shape): JsonValue {
  const trimmed = text.trim()
  switch (shape.types[0]) {
    case 'string':
      return text
    case 'integer':
    case 'number':
      return toNumber(trimmed, shape.types[0])
    case 'boolean':
      return toBoolean(trimmed)
    case 'null':
      if (trimmed === 'null' || (trimmed === '' && text === '')) return null
      break
    case 'array':
      return textToArray(text, shape)
    case 'object':
      return coerceJson(parseJson(trimmed === '' ? '{}' : trimmed, shape), shape)
    case undefined:
      return text
  }
  throw new ValueProblem(`expected ${describeShape(shape)}, got ${quote(trimmed)}`)
}

function toNumber(text: string, type: 'integer' | 'number'): number {
  const expected = type === 'integer' ? 'a whole number' : 'a number'
  if (!numberPattern.test(text)) throw new ValueProblem(`expected ${expected}, got ${quote(text)}`)
  const value = Number(text)
  return checkNumber(Object.is(value, -0) ? 0 : value, type, text)
}

function checkNumber(value: number, type: 'integer' | 'number', source: string): number {
  if (!Number.isFinite(value)) throw new ValueProblem(`number out of range: ${quote(source)}`)
  if (type === 'integer' && !Number.isInteger(value))
    throw new ValueProblem(`expected a whole number, got ${quote(source)}`)
  if (isInexact(source) || (type === 'integer' && !Number.isSafeInteger(value)))
    throw new ValueProblem(`${quote(source)} is too large to be an exact whole number`)
  return value
}

function toBoolean(text: string): boolean {
  const normalized = text.toLowerCase()
  if (normalized === 'true') return true
  if (normalized === 'false') return false
  throw new ValueProblem(`expected true or false, got ${quote(text)}`)
}

/** R13 for text: empty text becomes `[]`, a JSON list is parsed, any other text becomes the only element. */
function textToArray(text: string, shape: Shape): JsonValue {
  const trimmed = text.trim()
  if (trimmed === '') return []
  if (trimmed.startsWith('[')) {
    const parsed = parseBoundedJson(trimmed)
    if (Array.isArray(parsed)) return coerceJson(parsed, shape)
  }
  const item = shape.itemAt(0)
  const parsed =
    trimmed.startsWith('{') && !admitsText(item) ? parseBoundedJson(trimmed) : undefined
  return [parsed === undefined ? coerceText(text, item) : coerceJson(parsed, item)]
}

function parseJson(text: string, shape: Shape): JsonValue {
  const parsed = parseBoundedJson(text)
  if (parsed !== undefined) return parsed
  throw new ValueProblem(
    `expected ${describeShape(shape)} as child elements or JSON, got ${quote(text)}`,
  )
}

/** R12: the option that equals the text, else the only option that matches regardless of letter case and quotes. */
function matchOption(text: string, shape: Shape): JsonValue {
  const options = shape.options ?? []
  const trimmed = text.trim()
  const exact =
    options.find((option) => option === text) ?? options.find((o) => formatOption(o) === trimmed)
  if (exact !== undefined) return exact as JsonValue
  const matches = options.filter(
    (option) => plainOption(formatOption(option)) === plainOption(trimmed),
  )
  if (matches.length === 1) return matches[0] as JsonValue
  const number = numberPattern.test(trimmed) ? Number(trimmed) : undefined
  if (number !== undefined && options.includes(number)) return number
  throw new ValueProblem(
    `expected ${describeShape(shape)}, got ${quote(trimmed)}`,
    suggestName(trimmed, options.map(formatOption)),
  )
}

function formatOption(option: unknown): string {
  return typeof option === 'string' ? option : JSON.stringify(option)
}

function plainOption(text: string): string {
  return text
    .replace(/^(["'`])(.*)\1$/s, '$2')
    .trim()
    .toLowerCase()
}

/** Fits a JSON value to its schema: converts wrong scalar types, refuses unknown keys. */
export function coerceJson(value: JsonValue, shape: Shape, depth: number = 0): JsonValue {
  if (depth > maxDepth) throw new ValueProblem(`nested more than ${maxDepth} levels deep`)
  if (shape.options) return jsonOption(value, shape)
  if (shape.branches) return jsonBranch(value, shape, depth)
  if (isUntyped(shape)) return checkUntyped(value, depth)
  const type = getType(value)
  if (accepts(shape, type, value)) return coerceSame(value, shape, depth)
  if (typeof value === 'string') return coerceText(value, shape)
  if (value !== null) {
    if (typeof value !== 'object' && shape.types.includes('string')) return String(value)
    if (shape.types.includes('array')) return [coerceJson(value, shape.itemAt(0), depth + 1)]
  }
  if (shape.types.includes('integer') && typeof value === 'number')
    return checkNumber(value, 'integer', String(value))
  throw new ValueProblem(`expected ${describeShape(shape)}, got ${quote(JSON.stringify(value))}`)
}

function jsonOption(value: JsonValue, shape: Shape): JsonValue {
  if (shape.options?.includes(value)) return value
  if (value !== null && typeof value === 'object') {
    const text = JSON.stringify(value)
    const equal = shape.options?.find((option) => JSON.stringify(option) === text)
    if (equal !== undefined) return value
  }
  return matchOption(typeof value === 'string' ? value : JSON.stringify(value), shape)
}

/**
 * Uses the first fitting branch of the value's own type. Otherwise uses the first branch that the value can be
 * converted to.
 */
function jsonBranch(value: JsonValue, shape: Shape, depth: number): JsonValue {
  const branches = shape.branches ?? []
  const type = getType(value)
  const accepting = branches.filter(
    (branch) => branch.options?.includes(value) || accepts(branch, type, value),
  )
  const order = [...accepting, ...branches.filter((branch) => !accepting.includes(branch))]
  return coerceToFirst(order, shape, (branch) => coerceJson(value, branch, depth))
}

function getType(value: JsonValue): TypeName {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value as 'boolean' | 'number' | 'string' | 'object'
}

function accepts(shape: Shape, type: TypeName, value: JsonValue): boolean {
  if (shape.types.includes(type)) return true
  return type === 'number' && shape.types.includes('integer') && Number.isSafeInteger(value)
}

function coerceSame(value: JsonValue, shape: Shape, depth: number): JsonValue {
  if (Array.isArray(value)) {
    return value.map((entry: JsonValue, index) =>
      withErrorPath(`item ${index + 1}`, () => coerceJson(entry, shape.itemAt(index), depth + 1)),
    )
  }
  if (!isRecord(value)) return value
  return coerceEntries(Object.entries(value) as [string, JsonValue][], shape, (entry, schema) =>
    coerceJson(entry, shape.schemaReader.shape(schema), depth + 1),
  )
}

/** Builds an object from entries. Refuses unknown keys and missing required ones (R9, R14, R17). */
export function coerceEntries<Value>(
  entries: Iterable<readonly [string, Value]>,
  shape: Shape,
  coerce: (value: Value, schema: unknown) => JsonValue,
): Record<string, JsonValue> {
  const result: Record<string, JsonValue> = {}
  for (const [key, value] of entries) {
    const schema = propertySchema(shape, key)
    if (schema === undefined || schema === false) throw unknownKey(key, shape)
    setOwn(
      result,
      key,
      withErrorPath(`'${key}'`, () => coerce(value, schema)),
    )
  }
  for (const key of shape.required) {
    if (!Object.hasOwn(result, key)) throw new ValueProblem(`missing required '${key}'`)
  }
  return result
}

function unknownKey(key: string, shape: Shape): ValueProblem {
  const suggestion = suggestName(key, shape.properties.keys())
  const hint = suggestion === undefined ? '' : `, did you mean '${suggestion}'?`
  return new ValueProblem(`unknown property '${key}'${hint}`, suggestion)
}

/** Runs `readValue`. If it throws a `ValueProblem`, prefixes the message with the path. */
export function withErrorPath<T>(path: string, readValue: () => T): T {
  try {
    return readValue()
  } catch (thrown) {
    if (!(thrown instanceof ValueProblem)) throw thrown
    throw new ValueProblem(`${path}: ${thrown.message}`, thrown.suggestion)
  }
}

/** Sets an own property, whatever its name. */
export function setOwn(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key !== '__proto__') target[key] = value
  else
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
}

/** Returns a value without a schema unchanged. Refuses deep nesting and the key `__proto__`. */
function checkUntyped(value: JsonValue, depth: number): JsonValue {
  if (depth > maxDepth) throw new ValueProblem(`nested more than ${maxDepth} levels deep`)
  if (value === null || typeof value !== 'object') return value
  if (!Array.isArray(value) && Object.hasOwn(value, '__proto__'))
    throw new ValueProblem("'__proto__' is no allowed key")
  for (const entry of Object.values(value) as JsonValue[]) checkUntyped(entry, depth + 1)
  return value
}
