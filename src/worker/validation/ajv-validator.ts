import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonSchema } from '../../protocol/json.ts'
import { schemaUri } from './schema-uri.ts'
import type { SchemaIssue, Validator } from './validator.ts'

/** Fast per value, slow per schema (it generates code): compiled lazily, once for each schema text. */
export function createAjvValidator(): Validator {
  const compiled = new Map<string, ValidateFunction>()
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
    // Schemas of different tools may carry the same `$id`.
    addUsedSchema: false,
    uriResolver: schemaUri,
    // Compiling refuses what is no schema; a `$schema` of another draft is none of its business.
    meta: false,
    validateSchema: false,
  })
  const compile = (schema: JsonSchema): ValidateFunction => {
    const key = JSON.stringify(schema)
    const known = compiled.get(key)
    if (known) return known
    const check = ajv.compile(schema)
    compiled.set(key, check)
    return check
  }
  return {
    validate(schema, value) {
      const check = compile(schema)
      if (check(value)) return []
      return (check.errors ?? []).map((error): SchemaIssue => ({
        path: error.instancePath,
        keyword: error.keyword,
        message: error.message ?? error.keyword,
      }))
    },
  }
}
