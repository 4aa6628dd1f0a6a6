/** The fields that have a value. */
export function omitUndefined<Value>(fields: { readonly [name: string]: Value | undefined }): {
  readonly [name: string]: Value
} {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  )
}
