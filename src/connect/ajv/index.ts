import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonSchema } from '../../protocol/json.ts'
import type { FastValidator } from '../../worker/validation/validator.ts'

type Check = (value: unknown) => boolean

/**
 * Keywords for which Ajv deviates from the official tests of JSON Schema: `unevaluatedItems` together with `contains`,
 * fractional `multipleOf`, and dynamic references.
 */
const READ_DIFFERENTLY = /"(?:unevaluatedItems|multipleOf|\$dynamicRef|\$recursiveRef)":/

/**
 * Maximum number of compiled schemas. When it is exceeded, the cache is cleared, because an app with so many schemas
 * rarely reuses them.
 */
const MAX_COMPILED = 1000

const NEVER: Check = () => false

/**
 * Checks inputs with [Ajv](https://ajv.js.org), which is many times as fast as the worker's own validator on large
 * inputs. Results and messages don't change. Ajv compiles each schema with `new Function`. If a Content-Security-Policy
 * forbids `new Function`, the worker's validator is used instead, also for the few schemas that Ajv interprets
 * differently.
 *
 * @example
 * startWorker({ validator: ajvValidator() })
 */
export function ajvValidator(): FastValidator {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateFormats: false,
    ownProperties: true,
    addUsedSchema: false,
  })
  const bySchema = new WeakMap<JsonSchema, Check>()
  // Caches by text, because each step creates new schema objects.
  const byText = new Map<string, Check>()
  const checkOf = (schema: JsonSchema): Check => {
    const text = JSON.stringify(schema)
    if (byText.size === MAX_COMPILED) byText.clear()
    const check = byText.get(text) ?? compile(ajv, schema, text)
    byText.set(text, check)
    return check
  }
  return {
    fits(schema, value) {
      const check = bySchema.get(schema) ?? checkOf(schema)
      bySchema.set(schema, check)
      return check(value)
    },
  }
}

function compile(ajv: Ajv2020, schema: JsonSchema, text: string): Check {
  if (READ_DIFFERENTLY.test(text)) return NEVER
  try {
    return ajv.compile(schema)
  } catch {
    // A policy forbids `new Function`, or Ajv generates invalid code, which happens for a few schemas.
    return NEVER
  } finally {
    ajv.removeSchema(schema)
  }
}

export type { FastValidator } from '../../worker/validation/validator.ts'
