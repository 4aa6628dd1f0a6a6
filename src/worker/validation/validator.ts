import type { JsonSchema } from '../../protocol/json.ts'

/** One way in which a value breaks its schema. */
export interface SchemaIssue {
  /** JSON pointer into the value, `''` for the whole. */
  readonly path: string
  /** The schema keyword that failed; `''` where no keyword did. */
  readonly keyword: string
  /** Follows the value's name: `must be string`. */
  readonly message: string
}

/** A JSON Schema (draft 2020-12) validator. */
export interface Validator {
  /**
   * Empty when the value fits, else the first 50 issues. Throws for a schema that isn't one. `owner` names
   * whose schema it is.
   */
  validate(schema: JsonSchema, value: unknown, owner?: string): readonly SchemaIssue[]
}

/** Accepts valid values quickly. The worker's own validator checks all others and reports their issues. */
export interface FastValidator {
  /** May throw: then the other one decides. */
  fits(schema: JsonSchema, value: unknown): boolean
}
