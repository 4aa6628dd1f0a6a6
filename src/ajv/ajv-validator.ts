import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonSchema } from '../protocol/json.ts'
import type { FastValidator } from '../worker/validation/validator.ts'

type Check = (value: unknown) => boolean

/**
 * Keywords that Ajv reads otherwise than the official tests of JSON Schema: `unevaluatedItems` beside `contains`, fractions
 * of `multipleOf`, and references by place in the call.
 */
const READ_DIFFERENTLY = /"(?:unevaluatedItems|multipleOf|\$dynamicRef|\$recursiveRef)":/

/** Schemas that are kept compiled. Beyond that, all are compiled anew: an app that makes so many doesn't use them again. */
const MAX_COMPILED = 1000

const NEVER: Check = () => false

/**
 * Checks inputs with [Ajv](https://ajv.js.org), which is many times as fast as the worker's own validator on large inputs.
 * Ajv compiles each schema with `new Function`. Where a Content-Security-Policy forbids that, and for the few schemas that
 * Ajv reads differently, the worker's own validator checks alone. Verdicts and messages stay the same.
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
  // The schemas of each step are new objects.
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
    // A policy forbids it, or the code would be wrong: so it is for a few schemas.
    return NEVER
  } finally {
    ajv.removeSchema(schema)
  }
}
