import { createAjvValidator } from './ajv-validator.ts'
import { createCfworkerValidator } from './cfworker-validator.ts'
import type { Validator } from './validator.ts'

let shared: Validator | null = null

/**
 * The fast validator where the content security policy lets code be generated, else the other. Made
 * at its first use, and one for all: it keeps nothing but compiled schemas.
 */
export function sharedValidator(): Validator {
  shared ??= mayEvaluate() ? createAjvValidator() : createCfworkerValidator()
  return shared
}

function mayEvaluate(): boolean {
  try {
    // oxlint-disable-next-line no-implied-eval -- Whether this throws is the question.
    return new Function('return true')() === true
  } catch {
    return false
  }
}
