import type { JsonObject, JsonValue } from '../../../index.ts'

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value)
}
