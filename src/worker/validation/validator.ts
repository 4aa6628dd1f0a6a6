import type { JsonSchema } from '../../protocol/json.ts'

/** The steps of a JSON pointer. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A way in which a value breaks its schema. */
export interface SchemaIssue {
  /** JSON pointer into the value, `''` for the whole. */
  readonly path: string
  /** The schema keyword that failed; `''` where no keyword did. */
  readonly keyword: string
  /** Text that follows the value's name: `must be string`. */
  readonly message: string
}

/** A JSON Schema (draft 2020-12) validator. */
export interface Validator {
  /**
   * Returns the first 50 issues, or none if the value is valid. Throws for an invalid schema. `owner` names the source
   * of the schema.
   */
  validate(schema: JsonSchema, value: unknown, owner?: string): readonly SchemaIssue[]
}

/** Accepts valid values quickly. The worker's own validator checks all others and reports their issues. */
export interface FastValidator {
  /** Whether the value is valid. May throw: then the worker's own validator decides. */
  fits(schema: JsonSchema, value: unknown): boolean
}
