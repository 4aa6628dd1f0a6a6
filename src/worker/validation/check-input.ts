import { suggestName } from '../../action/suggest.ts'
import { unsafeKey } from '../../lib/unsafe-key.ts'
import { describeThrown } from '../../protocol/error.ts'
import type { JsonSchema, JsonValue } from '../../protocol/json.ts'
import type { CallError } from '../../protocol/message.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import { issueWords } from './issue-words.ts'
import type { SchemaIssue, Validator } from './validator.ts'

/**
 * Checks a call's input against its tool's schema. Unknown top-level parameters are refused unless
 * the schema allows additional properties explicitly: a model that misspells one must be answered so.
 * Returns null when the input fits, else words that let a model correct itself in one go.
 */
export function checkInput(
  validator: Validator,
  tool: ToolDefinition,
  input: JsonValue,
): CallError | null {
  return checkShown(validator, tool, { input, shown: input })
}

/** The same; the words quote the input as it is `shown`: without what nobody may read. */
export function checkShown(
  validator: Validator,
  tool: ToolDefinition,
  { input, shown }: { readonly input: JsonValue; readonly shown: JsonValue },
): CallError | null {
  const unsafe = unsafeKey(input)
  if (unsafe !== undefined) {
    return {
      code: 'invalid_params',
      message: `Invalid parameters for ${tool.name}: '${unsafe}' is no allowed key.`,
    }
  }
  let issues: readonly SchemaIssue[]
  try {
    issues = validator.validate(tool.inputSchema, input, tool.name)
  } catch (error) {
    return {
      code: 'failed',
      message: `The input schema of ${tool.name} can't be used: ${describeThrown(error)}`,
    }
  }
  const unknown = unknownParameters(tool.inputSchema, input)
  if (issues.length === 0 && unknown.length === 0) return null
  return describe(tool, shown, { issues, unknown })
}

function describe(
  tool: ToolDefinition,
  input: JsonValue,
  found: { readonly issues: readonly SchemaIssue[]; readonly unknown: readonly string[] },
): CallError {
  const properties = propertiesOf(tool.inputSchema)
  const known = Object.keys(properties)
  const missing = requiredOf(tool.inputSchema).filter((name) => !hasOwn(input, name))
  const problems: string[] = []
  let suggestion: string | undefined
  for (const name of found.unknown) {
    const near = suggestName(name, missing) ?? suggestName(name, known)
    suggestion ??= near
    problems.push(`unknown parameter '${name}'${near ? `, did you mean '${near}'?` : ''}`)
  }
  if (missing.length > 0) {
    problems.push(`missing required ${missing.map((name) => `'${name}'`).join(', ')}`)
  }
  for (const issue of found.issues) {
    if (issue.path === '' && OWN_WORDS.has(issue.keyword)) continue
    problems.push(issueWords(issue, input))
  }
  const unique = [...new Set(problems)].slice(0, 8)
  return {
    code: 'invalid_params',
    message: `Invalid parameters for ${tool.name}: ${unique.join('; ')}. Expected: ${expected(tool.inputSchema)}.`,
    ...(suggestion && { suggestion }),
  }
}

/** Keywords whose failures at the top are worded from the schema itself. */
const OWN_WORDS: ReadonlySet<string> = new Set([
  'required',
  'additionalProperties',
  'unevaluatedProperties',
])

function unknownParameters(schema: JsonSchema, input: JsonValue): string[] {
  const open =
    !Object.hasOwn(schema, 'properties') ||
    Object.hasOwn(schema, 'patternProperties') ||
    (Object.hasOwn(schema, 'additionalProperties') && schema['additionalProperties'] !== false)
  if (open || input === null || typeof input !== 'object' || Array.isArray(input)) return []
  const properties = propertiesOf(schema)
  return Object.keys(input).filter((name) => !Object.hasOwn(properties, name))
}

function propertiesOf(schema: JsonSchema): { readonly [name: string]: JsonSchema } {
  const properties = schema['properties']
  return typeof properties === 'object' && properties !== null
    ? (properties as { readonly [name: string]: JsonSchema })
    : {}
}

function requiredOf(schema: JsonSchema): string[] {
  const required = schema['required']
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

function hasOwn(input: JsonValue, name: string): boolean {
  return input !== null && typeof input === 'object' && Object.hasOwn(input, name)
}

/** `player_id (string, required), limit (integer, optional)`, or words for a schema without either. */
function expected(schema: JsonSchema): string {
  const required = new Set(requiredOf(schema))
  const parts = Object.entries(propertiesOf(schema)).map(
    ([name, property]) =>
      `${name} (${typeWords(property)}, ${required.has(name) ? 'required' : 'optional'})`,
  )
  return parts.length > 0 ? parts.join(', ') : 'no parameters'
}

function typeWords(schema: JsonSchema): string {
  if (typeof schema !== 'object' || schema === null) return 'any'
  const values = schema['enum']
  if (Array.isArray(values))
    return `one of ${values.map((value) => JSON.stringify(value)).join(' | ')}`
  const type = schema['type']
  if (Array.isArray(type)) return type.join(' or ')
  return typeof type === 'string' ? type : 'any'
}
