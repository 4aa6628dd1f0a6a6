import { createAjvValidator } from './ajv-validator.ts'
import { createCfworkerValidator } from './cfworker-validator.ts'
import type { Validator } from './validator.ts'

/** The fast validator where the content security policy lets code be generated, else the other. */
export function createValidator(): Validator {
  return mayEvaluate() ? createAjvValidator() : createCfworkerValidator()
}

function mayEvaluate(): boolean {
  try {
    return new Function('return true')() === true
  } catch {
    return false
  }
}
