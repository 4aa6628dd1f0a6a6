import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { JsonSchema } from '../../protocol/json.ts'

/**
 * The parts of Standard Schema and Standard JSON Schema (https://standardschema.dev) that Offstage uses. A schema may
 * be a function (ArkType).
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly vendor: string
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema?: {
      input(options: { readonly target: 'draft-2020-12' }): Record<string, unknown>
    }
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    '~standard' in value
  )
}

/**
 * Converts any schema to JSON Schema. If a Standard Schema can't be converted, throws `schema-unsupported` and names
 * the vendor's converter. `owner` describes the schema in the error message.
 */
export function jsonSchemaOf(schema: JsonSchema | StandardSchema, owner: string): JsonSchema {
  if (!isStandardSchema(schema)) return schema
  const { vendor, jsonSchema } = schema['~standard']
  try {
    if (!jsonSchema) throw 'it has none'
    return jsonSchema.input({ target: 'draft-2020-12' })
  } catch (cause) {
    const converter =
      vendor === 'valibot' ? '@valibot/to-json-schema' : `the converter of ${vendor}`
    throw new OffstageError(
      'schema-unsupported',
      `The ${vendor} schema ${owner} gives no JSON Schema (${describeThrown(cause)}). Pass one as jsonSchema, made with ${converter}.`,
      { cause },
    )
  }
}
