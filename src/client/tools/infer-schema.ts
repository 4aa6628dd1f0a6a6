import type { StandardSchema } from './standard-schema.ts'

/** Input type of `execute`: described by a JSON Schema literal, or the output of a Standard Schema. */
export type InferInput<Schema> = Schema extends {
  readonly '~standard': { readonly types?: infer Types }
}
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : Schema extends StandardSchema<infer Output>
    ? Output
    : [unknown] extends [InferJson<Schema>]
      ? Record<string, unknown>
      : InferJson<Schema>

/** The type that a JSON Schema literal describes, or `unknown` if the literal has no type. */
export type InferJson<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Option)[] }
      ? InferJson<Option>
      : Schema extends { readonly oneOf: readonly (infer Option)[] }
        ? InferJson<Option>
        : Schema extends { readonly type: readonly (infer Type)[] }
          ? InferType<Type, Schema>
          : Schema extends { readonly type: infer Type }
            ? InferType<Type, Schema>
            : Schema extends { readonly properties: object }
              ? InferObject<Schema>
              : unknown

type InferType<Type, Schema> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? InferArray<Schema>
          : Type extends 'object'
            ? InferObject<Schema>
            : unknown

type InferArray<Schema> = Schema extends { readonly items: infer Items }
  ? InferJson<Items>[]
  : unknown[]

type InferObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [Key in keyof Properties & Required<Schema>]: InferJson<Properties[Key]> } & {
        -readonly [Key in Exclude<keyof Properties, Required<Schema>>]?: InferJson<Properties[Key]>
      }
    >
  : Record<string, unknown>

type Required<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never

type Flat<Type> = { [Key in keyof Type]: Type[Key] }
