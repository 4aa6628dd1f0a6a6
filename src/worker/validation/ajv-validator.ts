import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonSchema } from '../../protocol/json.ts'
import type { SchemaIssue, Validator } from './validator.ts'

/** Fast per value, slow per schema (it generates code): compiled lazily, once for each schema text. */
export function createAjvValidator(): Validator {
  const compiled = new Map<string, ValidateFunction>()
  return {
    validate(schema, value) {
      const check = compile(compiled, schema)
      if (check(value)) return []
      return (check.errors ?? []).map((error): SchemaIssue => ({
        path: error.instancePath,
        keyword: error.keyword,
        message: error.message ?? error.keyword,
      }))
    },
  }
}

function compile(compiled: Map<string, ValidateFunction>, schema: JsonSchema): ValidateFunction {
  const key = JSON.stringify(schema)
  const known = compiled.get(key)
  if (known) return known
  // An instance each: schemas of different tools may carry the same `$id`.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false })
  const check = ajv.compile(schema)
  compiled.set(key, check)
  return check
}
