/**
 * What a question may ask for at once: a flat object of simple fields, in the restricted JSON Schema of MCP's
 * elicitation (`requestedSchema` and `PrimitiveSchemaDefinition` of its schema 2026-07-28). All texts are plain
 * text of a model: they are shown as text, never as markup.
 */
export interface FieldsSchema {
  readonly type: 'object'
  /** By name. */
  readonly properties: { readonly [name: string]: FieldSchema }
  /** Names of those that an answer must have. Default: none. */
  readonly required?: readonly string[]
}

export type FieldSchema = TextField | NumberField | BooleanField | ChoiceField | ChoicesField

interface FieldWords {
  /** What it is called. Default: its name. */
  readonly title?: string
  readonly description?: string
}

export interface TextField extends FieldWords {
  readonly type: 'string'
  /** In code points. */
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: FieldFormat
  /** Defaults are for the form to begin with; an answer isn't filled up with them. */
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

/** One of several. */
export type ChoiceField = FieldWords & {
  readonly type: 'string'
  readonly default?: string
} & (
    | {
        readonly enum: readonly string[]
        /** What they are called, in the same order. */
        readonly enumNames?: readonly string[]
      }
    | { readonly oneOf: readonly FieldChoice[] }
  )

/** Any of several, each once. */
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
  /** What it is called. */
  readonly title: string
}

export type FieldValue = string | number | boolean | readonly string[]

/** Values by the names of their fields. */
export interface FieldValues {
  readonly [name: string]: FieldValue
}

/** What a person makes of a question: MCP's `ElicitResult`. */
export type QuestionAnswer =
  | {
      readonly action: 'accept'
      /** Default: none. */
      readonly content?: FieldValues
    }
  /** Doesn't want to say. */
  | { readonly action: 'decline' }
  /** Closed the question without a choice. */
  | { readonly action: 'cancel' }
