/**
 * Fields of a question: a flat object of simple fields, in the restricted JSON Schema of MCP's elicitation
 * (`requestedSchema` and `PrimitiveSchemaDefinition` of its schema 2026-07-28). A model writes all texts: show them as
 * text, never as markup.
 */
export interface FieldsSchema {
  readonly type: 'object'
  /** Fields by name. */
  readonly properties: { readonly [name: string]: FieldSchema }
  /** Names of required fields. Default: none. */
  readonly required?: readonly string[]
}

export type FieldSchema = TextField | NumberField | BooleanField | ChoiceField | ChoicesField

interface FieldWords {
  /** Display name. Default: the field's name. */
  readonly title?: string
  readonly description?: string
}

export interface TextField extends FieldWords {
  readonly type: 'string'
  /** Length in code points. */
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: FieldFormat
  /** Initial value in the form. Not added to an answer that lacks the field. */
  readonly default?: string
}

export type FieldFormat = 'email' | 'uri' | 'date' | 'date-time'

export interface NumberField extends FieldWords {
  readonly type: 'number' | 'integer'
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number
}

export interface BooleanField extends FieldWords {
  readonly type: 'boolean'
  readonly default?: boolean
}

/** A choice of exactly one value. */
export type ChoiceField = FieldWords & {
  readonly type: 'string'
  readonly default?: string
} & (
    | {
        readonly enum: readonly string[]
        /** Display names of the values, in the same order. */
        readonly enumNames?: readonly string[]
      }
    | { readonly oneOf: readonly FieldChoice[] }
  )

/** A choice of any number of values, each at most once. */
export interface ChoicesField extends FieldWords {
  readonly type: 'array'
  readonly items:
    | { readonly type: 'string'; readonly enum: readonly string[] }
    | { readonly anyOf: readonly FieldChoice[] }
  readonly minItems?: number
  readonly maxItems?: number
  readonly default?: readonly string[]
}

export interface FieldChoice {
  readonly const: string
  /** Display name. */
  readonly title: string
}

export type FieldValue = string | number | boolean | readonly string[]

/** Values by field name. */
export interface FieldValues {
  readonly [name: string]: FieldValue
}

/** A person's answer to a question: MCP's `ElicitResult`. */
export type QuestionAnswer =
  | {
      readonly action: 'accept'
      /** Default: no values. */
      readonly content?: FieldValues
    }
  /** The person refused to answer. */
  | { readonly action: 'decline' }
  /** The person closed the question without a choice. */
  | { readonly action: 'cancel' }
