import type { JsonSchema } from '../../protocol/json.ts'
import { jsonSchemaValidator } from '../../worker/validation/validator.ts'

/** Returns the problems of an input as a message; null if the input fits the schema. */
export function problemOf(schema: JsonSchema, input: unknown): string | null {
  const issues = jsonSchemaValidator.validate(schema, input)
  if (issues.length === 0) return null
  const lines = issues.slice(0, 8).map(({ path, message }) => `${path || 'the input'} ${message}`)
  return lines.join('; ')
}
