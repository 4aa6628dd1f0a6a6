import type { JsonSchema } from '../../protocol/json.ts'

/** One way in which a value breaks its schema. */
export interface SchemaIssue {
  /** JSON pointer into the value, `''` for the whole. */
  readonly path: string
  /** The schema keyword that failed. */
  readonly keyword: string
  readonly message: string
}

/** A JSON Schema (draft 2020-12) validator. */
export interface Validator {
  /**
   * Empty when the value fits. Throws what the library throws for a schema that isn't one. `owner`
   * names whose schema it is.
   */
  validate(schema: JsonSchema, value: unknown, owner?: string): readonly SchemaIssue[]
}
