import type { CheckRisk } from '../../protocol/notices.ts'
import type { Validator } from './validator.ts'

/**
 * Announces each check that evaluates regular expressions, and its end (null). Such a check may never end, and a
 * worker that hangs can't report the cause.
 */
export function watchedValidator(
  validator: Validator,
  announce: (risk: CheckRisk | null) => void,
): Validator {
  return {
    validate(schema, value, owner = '') {
      const patterns = patternsIn(schema)
      if (patterns.length === 0) return validator.validate(schema, value)
      announce({ toolName: owner, patterns })
      try {
        return validator.validate(schema, value)
      } finally {
        announce(null)
      }
    },
  }
}

function patternsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'pattern' && typeof value === 'string') return [value]
    const own = key === 'patternProperties' && typeof value === 'object' && value !== null
    return [...(own ? Object.keys(value as object) : []), ...patternsIn(value)]
  })
}
