import type { JsonObject, JsonValue } from '../../protocol/json.ts'

/** The fields that have a value. */
export function defined(fields: { readonly [name: string]: JsonValue | undefined }): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  )
}
