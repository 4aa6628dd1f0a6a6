/** A value that survives JSON, structured cloning and IndexedDB alike. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/** Object with JSON values only. Survives JSON, structured cloning and IndexedDB alike. */
export type JsonObject = { readonly [key: string]: JsonValue }

/** A JSON Schema object, draft 2020-12. `true`/`false` schemas appear only nested, as plain values. */
export type JsonSchema = { readonly [keyword: string]: unknown }
