import { SchemaReader } from '../../action/schema.ts'
import { suggestName } from '../../action/suggest.ts'
import { describeParameters } from '../../action/tool-index.ts'
import { unsafeKey } from '../../lib/json/unsafe-key.ts'
import { describeThrown } from '../../protocol/error.ts'
import type { JsonSchema, JsonValue } from '../../protocol/json.ts'
import type { CallError } from '../../protocol/message.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import { type SchemaIssue, stepsOf, type Validator } from './validator.ts'
import type { CheckRisk } from '../../protocol/notices.ts'

/** Describes an issue: where it is, what is wrong, and the value found there. */
export function issueWords(issue: SchemaIssue, input: JsonValue): string {
  const path = stepsOf(issue.path).join('.')
  const subject = path === '' ? 'the input' : `'${path}'`
  // A value that couldn't be checked (no keyword) can't be written as JSON, either.
  const value = issue.keyword === '' ? undefined : valueAt(input, issue.path)
  const got = value === undefined ? '' : `, got ${preview(value)}`
  return `${subject} ${issue.message}${got}`
}

function preview(value: JsonValue): string {
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.slice(0, 39)}…` : text
}

function valueAt(input: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = input
  for (const key of stepsOf(pointer)) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined
    value = (value as { readonly [key: string]: JsonValue })[key]
  }
  return value
}

/**
 * Checks a call's input against its tool's schema. Unknown top-level parameters are refused unless the schema
 * explicitly allows additional properties, so that a model learns of a misspelled name. Returns null when the
 * input fits, otherwise an error with all that the model needs to correct the call.
 */
export function checkInput(
  validator: Validator,
  tool: ToolDefinition,
  input: JsonValue,
): CallError | null {
  return checkShown(validator, tool, { input, shown: input })
}

/** Like `checkInput`, but the error quotes `shown`: the input without secrets. */
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
  details: { readonly issues: readonly SchemaIssue[]; readonly unknown: readonly string[] },
): CallError {
  const reader = new SchemaReader(tool.inputSchema)
  const shape = reader.shape(tool.inputSchema)
  const missing = [...shape.required].filter((name) => !hasOwn(input, name))
  const problems: string[] = []
  let suggestion: string | undefined
  for (const name of details.unknown) {
    const similar = suggestName(name, missing) ?? suggestName(name, shape.properties.keys())
    suggestion ??= similar
    problems.push(`unknown parameter '${name}'${similar ? `, did you mean '${similar}'?` : ''}`)
  }
  if (missing.length > 0) {
    problems.push(`missing required ${missing.map((name) => `'${name}'`).join(', ')}`)
  }
  for (const issue of details.issues) {
    if (issue.path === '' && DESCRIBED_KEYWORDS.has(issue.keyword)) continue
    problems.push(issueWords(issue, input))
  }
  const unique = [...new Set(problems)].slice(0, 8)
  return {
    code: 'invalid_params',
    message: `Invalid parameters for ${tool.name}: ${unique.join('; ')}. Expected: ${describeParameters({ input: shape, reader }, ', optional')}.`,
    ...(suggestion && { suggestion }),
  }
}

/** Keywords whose top-level failures are described from the schema, not from the validator's issue. */
const DESCRIBED_KEYWORDS: ReadonlySet<string> = new Set([
  'required',
  'additionalProperties',
  'unevaluatedProperties',
])

function unknownParameters(schema: JsonSchema, input: JsonValue): string[] {
  const allowsOthers =
    !Object.hasOwn(schema, 'properties') ||
    Object.hasOwn(schema, 'patternProperties') ||
    (Object.hasOwn(schema, 'additionalProperties') && schema['additionalProperties'] !== false)
  if (allowsOthers || input === null || typeof input !== 'object' || Array.isArray(input)) return []
  return Object.keys(input).filter((name) => !Object.hasOwn(schema['properties'] ?? {}, name))
}

function hasOwn(input: JsonValue, name: string): boolean {
  return input !== null && typeof input === 'object' && Object.hasOwn(input, name)
}

/**
 * Announces each check that evaluates regular expressions, and null when it ends. Such a check may never end, and a
 * worker that hangs can't report the cause.
 */
export function watchedValidator(
  validator: Validator,
  announce: (risk: CheckRisk | null) => void,
): Validator {
  return {
    validate(schema, value, owner = '') {
      const patterns = patternsIn(schema)
      if (patterns.length === 0) return validator.validate(schema, value)
      announce({ toolName: owner, patterns })
      try {
        return validator.validate(schema, value)
      } finally {
        announce(null)
      }
    },
  }
}

function patternsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'pattern' && typeof value === 'string') return [value]
    const hasPatterns = key === 'patternProperties' && typeof value === 'object' && value !== null
    return [...(hasPatterns ? Object.keys(value as object) : []), ...patternsIn(value)]
  })
}
