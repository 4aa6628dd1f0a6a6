import { isRecord } from '../../lib/shape.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { ParsedCalls } from '../block-reader.ts'
import {
  type ActionCall,
  readArguments,
  readJsonCall,
  requireTool,
  coerceJson,
  coerceText,
  invalidParameters,
} from '../call-arguments.ts'
import { CallProblem } from '../call-problem.ts'
import { alternation, dash } from '../char-codes.ts'
import { type IndexedTool, type ToolIndex } from '../tool-index.ts'
import { lazyPattern } from '../../lib/once.ts'
import { plainName } from '../suggest.ts'

/** Patterns of names in any script: tools (with namespaces and indices), names in `name(…)`, and parameters. */
export const toolNamePattern = '[\\p{L}\\p{N}_][\\p{L}\\p{M}\\p{N}_.:-]{0,127}'
export const callNamePattern = '[\\p{L}_][\\p{L}\\p{M}\\p{N}_.-]*'
export const parameterNamePattern = '[\\p{L}_][\\p{L}\\p{M}\\p{N}_-]*'

export function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code > 127
}

export function isNamePart(code: number): boolean {
  return isLetter(code) || (code >= 48 && code <= 57) || code === dash || code === 46
}

/** Namespaces that models write before a tool's name, with a dot or a colon. */
export const namespaces: readonly string[] = [
  'functions',
  'function',
  'default_api',
  'tools',
  'tool',
  'api',
]

/**
 * Returns the registered name that a native call means: the same name, or the only name that differs just in letter
 * case, separators or namespace. Never guesses.
 */
export function resolveToolName(name: string, registered: readonly string[]): string | undefined {
  if (registered.includes(name)) return name
  const plainNames = new Set([plainName(name), plainName(bareName(name))])
  const [match, ...others] = registered.filter((candidate) => plainNames.has(plainName(candidate)))
  return others.length === 0 ? match : undefined
}

/** A call in another format. Its tool isn't yet looked up. */
export interface ForeignCall {
  readonly name: string
  /** Arguments as JSON: an object, its text, or nothing. */
  readonly args?: JsonValue | undefined
  /** Arguments as names with texts, instead of `args`. */
  readonly texts?: readonly (readonly [string, string])[]
  /** Arguments in the order of the call, instead of `args`. Unnamed arguments follow the order of the schema. */
  readonly entries?: readonly (readonly [name: string | undefined, value: JsonValue])[]
  /** Why the arguments are ambiguous. */
  readonly problem?: string
}

/** A section: adjacent calls in one format. */
export interface ParsedSectionCalls extends ParsedCalls {
  /** End of the section in the text. */
  readonly end: number
  /** Texts between the sections. */
  readonly between?: readonly string[]
  /** The section has a marker. */
  readonly marked?: boolean
  /**
   * Position of a closing reasoning tag without an opening tag, outside of the calls. All text before it is reasoning
   * (R5).
   */
  readonly thoughtEnd?: number
}

/** Returns the registered tool for a name in another format. Drops namespaces (`functions.`) and indices (`:0`). */
export function findTool(name: string, index: ToolIndex): IndexedTool | undefined {
  return index.find(name) ?? index.find(bareName(name))
}

/** Returns an index that also accepts names with namespaces and indices. */
export function withNamespaces(index: ToolIndex): ToolIndex {
  return { tools: index.tools, find: (name) => findTool(name, index) }
}

const namespace = lazyPattern(() => `^(?:${alternation(namespaces)})[.:]`)

/** Removes the namespace and the index of a name. */
function bareName(name: string): string {
  return name.trim().replace(/:\d+$/, '').replace(namespace(), '')
}

/** Joins calls up to the first invalid one (R16). A malformed part invalidates all calls. */
export function joinParsedCalls(results: readonly ParsedCalls[]): ParsedCalls {
  const malformed = results.find(({ problem }) => problem?.code === 'malformed')
  if (malformed) return { ...malformed, calls: [] }
  const calls: ActionCall[] = []
  for (const { calls: sectionCalls, problem, problemTool } of results) {
    for (const call of sectionCalls) calls.push(call)
    if (problem) return { calls, problem, ...(problemTool !== undefined && { problemTool }) }
  }
  return { calls }
}

/** Finds the tools of the calls. Returns the valid calls up to the first invalid one (R16). */
export function resolveCalls(calls: readonly ForeignCall[], index: ToolIndex): ParsedCalls {
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
  if (call.texts) return readArguments(tool, call.texts, coerceText)
  if (call.problem !== undefined) throw invalidParameters(tool, call.problem)
  return call.entries ? readEntries(tool, call.entries) : readJsonCall(tool, call.args)
}

/** Reads the arguments of `name(…)`. Throws `CallProblem`. */
function readEntries(tool: IndexedTool, entries: NonNullable<ForeignCall['entries']>): ActionCall {
  const [first, ...others] = entries
  if (first && others.length === 0 && isWholeInput(tool, first)) return readJsonCall(tool, first[1])
  const names = [...tool.input.properties.keys()]
  const firstNamed = entries.findIndex(([name]) => name !== undefined)
  const unnamedCount = entries.filter(([name]) => name === undefined).length
  if (firstNamed >= 0 && firstNamed < unnamedCount)
    throw invalidParameters(tool, 'an argument without a name follows one with a name')
  if (unnamedCount > names.length)
    throw invalidParameters(tool, `${unnamedCount} arguments for ${names.length} parameters`)
  const namedEntries = entries.map(([name, value], at) => [name ?? names[at] ?? '', value] as const)
  return readArguments(tool, namedEntries, coerceJson)
}

/** Recognizes a single argument with all parameters: `name({"query": "x"})`. */
function isWholeInput(
  tool: IndexedTool,
  [name, value]: readonly [string | undefined, JsonValue],
): boolean {
  if (name !== undefined || !isRecord(value)) return false
  return Object.keys(value).every((key) => tool.input.properties.has(key))
}
