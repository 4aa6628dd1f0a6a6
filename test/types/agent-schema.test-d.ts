import { expectTypeOf, test } from 'vitest'
import type { JsonValue } from '../../src/protocol/json.ts'
import type { AgentConfig } from '../../src/tools-from.ts'
import type { SchemaConfig } from '../fixtures/types/agent-schema.ts'

/**
 * A type's fields, and those of the types in it, in one form. Any JSON, and any value, are the same to a schema. Any text is
 * the same as `string & {}`, which has editors complete the names beside it.
 */
type Plain<Value> = [JsonValue] extends [Value]
  ? 'any JSON'
  : string extends Value
    ? string
    : Value extends readonly (infer Item)[]
      ? Plain<Item>[]
      : Value extends object
        ? { [Name in keyof Value]: Plain<Value[Name]> }
        : Value

test('the JSON Schema of configurations matches their type', () => {
  expectTypeOf<Plain<SchemaConfig>>().toEqualTypeOf<Plain<AgentConfig>>()
})
