import { canonicalJson } from '../lib/canonical-json.ts'
import type { JsonValue } from '../protocol/json.ts'

/** A call as one text, equal for inputs that differ in the order of keys and in white space only. */
export function canonicalCall(name: string, input: JsonValue): string {
  return `${name} ${canonicalJson(input)}`.replace(/(?:\s|\\[nrt])+/g, ' ')
}
