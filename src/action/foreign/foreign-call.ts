import type { JsonValue } from '../../protocol/json.ts'
import type { CallsRead } from '../block-reader.ts'
import { readJsonCall, readTextCall, requireTool } from '../call-arguments.ts'
import type { ActionCall } from '../call-arguments.ts'
import { CallProblem } from '../call-problem.ts'
import { setOwn } from '../coerce.ts'
import { isRecord } from '../schema.ts'
import type { IndexedTool, ToolIndex } from '../tool-index.ts'

/** A call as another format writes it, before its tool is known. */
export interface ForeignCall {
  readonly name: string
  /** Arguments as JSON: an object, its text, or nothing. */
  readonly args?: JsonValue | undefined
  /** Arguments as text by name, in place of `args`. */
  readonly texts?: readonly (readonly [string, string])[]
  /** Arguments without names: they follow the order of the schema. */
  readonly positional?: readonly JsonValue[]
}

/** A section of calls: adjacent ones in one format. */
export interface ForeignRead extends CallsRead {
  /** Where it ends in the text. */
  readonly end: number
  /** It has a marker. */
  readonly marked?: boolean
}

/** The registered tool a foreign name means: namespaces (`functions.`) and indices (`:0`) are dropped. */
export function findTool(name: string, index: ToolIndex): IndexedTool | undefined {
  return index.find(name) ?? index.find(bareName(name))
}

/** Without a namespace and an index. */
export function bareName(name: string): string {
  return name
    .trim()
    .replace(/:\d+$/, '')
    .replace(/^(?:functions?|default_api|tools?|api)[.:]/, '')
}

/** Resolves calls to their tools: those that may run, up to the first that may not (R16). */
export function resolveCalls(calls: readonly ForeignCall[], index: ToolIndex): CallsRead {
  const resolved: ActionCall[] = []
  for (const call of calls) {
    try {
      resolved.push(resolveCall(call, index))
    } catch (thrown) {
      if (!(thrown instanceof CallProblem)) throw thrown
      return { calls: resolved, problem: thrown, problemTool: bareName(call.name) }
    }
  }
  return { calls: resolved }
}

function resolveCall(call: ForeignCall, index: ToolIndex): ActionCall {
  const tool = findTool(call.name, index) ?? requireTool(bareName(call.name), index)
  if (call.texts) return readTextCall(tool, call.texts)
  if (!call.positional || call.positional.length === 0) return readJsonCall(tool, call.args)
  return readJsonCall(tool, withNames(tool, call))
}

function withNames(tool: IndexedTool, call: ForeignCall): JsonValue {
  const names = [...tool.input.properties.keys()]
  const [first] = call.positional ?? []
  if (isWholeInput(tool, call) && first !== undefined) return first
  const args: Record<string, JsonValue> = {}
  for (const [at, value] of (call.positional ?? []).entries()) {
    const name = names[at]
    if (name === undefined) {
      throw new CallProblem(
        'invalid_params',
        `Invalid parameters for ${tool.name}: ${call.positional?.length} arguments for ${names.length} parameters.`,
      )
    }
    setOwn(args, name, value)
  }
  return { ...args, ...(isRecord(call.args) ? (call.args as Record<string, JsonValue>) : {}) }
}

/** `name({"query": "x"})`: one object that holds the parameters. */
function isWholeInput(tool: IndexedTool, call: ForeignCall): boolean {
  const [value, ...others] = call.positional ?? []
  if (!isRecord(value) || others.length > 0) return false
  if (isRecord(call.args) && Object.keys(call.args).length > 0) return false
  return Object.keys(value).every((key) => tool.input.properties.has(key))
}
