import { Ajv2020 } from 'ajv/dist/2020.js'
import { toJsonSchema } from '../client/tools/prepare-tool.ts'
import { NAMED_SCHEMAS, ONE_SCHEMA, SCHEMA_LIST } from '../client/tools/schema-keywords.ts'
import type { CompositeTool, Tool } from '../client/tools/tool.ts'
import { isRecord } from '../lib/is-record.ts'
import { describeThrown } from '../protocol/error.ts'

/** A problem in a tool's schema. */
export interface ToolProblem {
  readonly tool: string
  /** JSON pointer to the schema within `inputSchema`; empty for the whole schema. */
  readonly path: string
  readonly message: string
}

/**
 * Lints tools' schemas with Ajv's strict mode. Finds unknown keywords (`requierd`, `typ`), required properties without
 * a definition, keywords that have no effect on their type, and unusable schemas. Agents accept most of these, but
 * validate less than intended.
 *
 * @example
 * expect(checkTools(tools)).toEqual([])
 */
export function checkTools(tools: readonly (Tool | CompositeTool)[]): ToolProblem[] {
  return tools.flatMap((tool) =>
    problemsOf(tool).map((problem) => ({ tool: tool.name, ...problem })),
  )
}

type Problem = Omit<ToolProblem, 'tool'>

function problemsOf(tool: Tool | CompositeTool): Problem[] {
  try {
    const schema = toJsonSchema(tool, tool.name)
    const found = lint(schema, '')
    return found.length > 0 ? found : complaints(schema, { strict: false }).map(rootProblem)
  } catch (thrown) {
    return [rootProblem(describeThrown(thrown))]
  }
}

function rootProblem(message: string): Problem {
  return { path: '', message }
}

/** Keywords whose subschemas describe the same value as their parent, and may rely on its type. */
const SAME_VALUE = new Set('allOf anyOf oneOf not if then else dependentSchemas'.split(' '))

/** Checks each schema alone, with `true` in place of its subschemas: Ajv doesn't say where a problem is. */
function lint(schema: unknown, path: string, parent: ParentContext = {}): Problem[] {
  if (!isRecord(schema)) return complaints(schema).map((message) => ({ path, message }))
  const nestedProblems: Problem[] = []
  const type = schema['type'] ?? parent.type
  const properties = { ...parent.properties, ...permissiveProperties(schema['properties']) }
  const lintSubschema = (subschema: unknown, keyword: string, segment: string): true => {
    const inherited = SAME_VALUE.has(keyword) ? { type, properties } : {}
    nestedProblems.push(...lint(subschema, `${path}/${segment}`, inherited))
    return true
  }
  const entries = Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === '$ref') return []
    if (NAMED_SCHEMAS.has(keyword) && isRecord(value)) {
      const names = Object.entries(value).map(([name, subschema]) => [
        name,
        lintSubschema(subschema, keyword, `${keyword}/${escapePointer(name)}`),
      ])
      return [[keyword, Object.fromEntries(names)]]
    }
    if (SCHEMA_LIST.has(keyword) && Array.isArray(value))
      return [
        [
          keyword,
          value.map((subschema, at) => lintSubschema(subschema, keyword, `${keyword}/${at}`)),
        ],
      ]
    return [[keyword, ONE_SCHEMA.has(keyword) ? lintSubschema(value, keyword, keyword) : value]]
  })
  const shallow = Object.fromEntries(entries) as Readonly<Record<string, unknown>>
  const checked = {
    ...(type !== undefined && { type }),
    ...shallow,
    ...(Object.keys(properties).length > 0 && type === 'object' && { properties }),
  }
  return [...complaints(checked).map((message) => ({ path, message })), ...nestedProblems]
}

interface ParentContext {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, true>>
}

function permissiveProperties(properties: unknown): Readonly<Record<string, true>> {
  const names = isRecord(properties) ? Object.keys(properties) : []
  return Object.fromEntries(names.map((name) => [name, true]))
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Ajv's complaints about a schema, one per item. */
function complaints(schema: unknown, { strict = true } = {}): string[] {
  const messages: string[] = []
  const level = strict ? 'log' : false
  const ajv = new Ajv2020({
    strictSchema: level,
    strictTypes: level,
    strictTuples: level,
    strictRequired: level,
    allowUnionTypes: true,
    validateFormats: false,
    validateSchema: 'log',
    allErrors: true,
    logger: { log() {}, warn: addMessage, error: addMessage },
  })
  function addMessage(...args: readonly unknown[]): void {
    messages.push(args.map(String).join(' ').replace('strict mode: ', ''))
  }
  // The worker's validator supports this keyword of earlier drafts.
  ajv.addVocabulary(['additionalItems'])
  try {
    ajv.compile(schema as boolean)
  } catch (thrown) {
    // Skips this error after others, which it usually repeats in other words.
    if (messages.length === 0) addMessage(describeThrown(thrown))
  }
  return [...new Set(messages)]
}
