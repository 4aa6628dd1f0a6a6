import { Validator as CfworkerValidator, type Schema } from '@cfworker/json-schema'
import type { SchemaIssue, Validator } from './validator.ts'

/** Generates no code: for pages and workers whose policy forbids evaluation. */
export function createCfworkerValidator(): Validator {
  return {
    validate(schema, value) {
      const result = new CfworkerValidator(schema as Schema, '2020-12', false).validate(value)
      if (result.valid) return []
      return result.errors
        .filter((error) => !WRAPPERS.has(error.keyword))
        .map((error): SchemaIssue => ({
          path: error.instanceLocation.replace(/^#/, ''),
          keyword: error.keyword,
          message: error.error,
        }))
    },
  }
}

/** Keywords that only say that something below them failed. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'properties',
  'items',
  'prefixItems',
  '$ref',
  'allOf',
])
