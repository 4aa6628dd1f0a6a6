import type { JsonObject, JsonValue } from '../protocol/json.ts'
import { CallProblem, ValueProblem } from './call-problem.ts'
import { coerceJson, coerceText, parseBoundedJson, setOwn } from './coerce.ts'
import { isRecord } from '../lib/shape.ts'
import { propertySchema } from './schema.ts'
import type { Shape } from './schema.ts'
import { suggestName } from './suggest.ts'
import { describeParameters } from './tool-index.ts'
import type { IndexedTool, ToolIndex } from './tool-index.ts'

/** A call that may run. */
export interface ActionCall {
  readonly toolName: string
  readonly input: JsonObject
}

/**
 * Builds the input of a call from its parameters. Reports all problems at once, so that the model can
 * correct the call in one step. Throws `CallProblem`.
 */
export function readArguments<Value>(
  tool: IndexedTool,
  entries: Iterable<readonly [string, Value]>,
  coerceOne: (value: Value, shape: Shape) => JsonValue,
): ActionCall {
  const input: Record<string, JsonValue> = {}
  const given = new Map<string, Value>()
  const repeated = new Set<string>()
  for (const [name, value] of entries) {
    if (given.has(name)) repeated.add(name)
    given.set(name, value)
  }
  const problems = new ParameterProblems(tool, given)
  for (const name of repeated) problems.value(name, new ValueProblem('given more than once'))
  for (const [name, value] of given) {
    const schema = propertySchema(tool.input, name)
    if (schema === undefined || schema === false) {
      problems.unknown(name)
      continue
    }
    try {
      setOwn(input, name, coerceOne(value, tool.reader.shape(schema)))
    } catch (thrown) {
      if (!(thrown instanceof ValueProblem)) throw thrown
      problems.value(name, thrown)
    }
  }
  for (const name of tool.input.required) if (!given.has(name)) problems.missing(name)
  problems.throwIfAny()
  return { toolName: tool.name, input }
}

class ParameterProblems {
  readonly #tool: IndexedTool
  readonly #given: ReadonlyMap<string, unknown>
  readonly #descriptions: string[] = []
  #suggestion: string | undefined

  constructor(tool: IndexedTool, given: ReadonlyMap<string, unknown>) {
    this.#tool = tool
    this.#given = given
  }

  unknown(name: string): void {
    const all = [...this.#tool.input.properties.keys()]
    const free = all.filter((candidate) => !this.#given.has(candidate))
    const suggestion = suggestName(name, free) ?? suggestName(name, all)
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
    const list = this.#descriptions.join('; ')
    const stop = list.endsWith('?') ? '' : '.'
    throw new CallProblem(
      'invalid_params',
      `Invalid parameters for ${this.#tool.name}: ${list}${stop} Expected: ${describeParameters(this.#tool)}.`,
      this.#suggestion,
    )
  }
}

/** Reads a call with JSON arguments: an object, its text, or nothing. Throws `CallProblem`. */
export function readJsonCall(tool: IndexedTool, args: JsonValue | undefined): ActionCall {
  const value = typeof args === 'string' ? parseArguments(args) : (args ?? {})
  if (!isRecord(value)) {
    throw new CallProblem(
      'invalid_params',
      `Invalid parameters for ${tool.name}: expected an object of parameters. Expected: ${describeParameters(tool)}.`,
    )
  }
  return readArguments(tool, Object.entries(value) as [string, JsonValue][], (entry, shape) =>
    coerceJson(entry, shape),
  )
}

function parseArguments(text: string): unknown {
  return text.trim() === '' ? {} : parseBoundedJson(text)
}

/** Reads a call with arguments as texts by name, without decoding entities. Throws `CallProblem`. */
export function readTextCall(
  tool: IndexedTool,
  entries: Iterable<readonly [string, string]>,
): ActionCall {
  return readArguments(tool, entries, (text, shape) => coerceText(text, shape))
}

/** The tool with this name. Throws `CallProblem` with a suggestion if there is none. */
export function requireTool(name: string, index: ToolIndex): IndexedTool {
  const tool = index.find(name)
  if (tool) return tool
  throw unknownTool(
    name,
    index.tools.map((known) => known.name),
  )
}

/** The problem of a call to an unknown tool. */
export function unknownTool(name: string, names: readonly string[]): CallProblem {
  const suggestion = suggestName(name, names)
  const hint = suggestion === undefined ? '.' : `, did you mean '${suggestion}'?`
  const list = names.length > 40 ? [...names.slice(0, 40), '…'] : names
  return new CallProblem(
    'unknown_tool',
    `Unknown tool '${name}'${hint} Available tools: ${list.join(', ') || 'none'}.`,
    suggestion,
  )
}
