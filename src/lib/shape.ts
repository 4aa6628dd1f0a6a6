import { isRecord } from './is-record.ts'

export { isRecord }

/** Whether a value read from a store has the shape that the code relies on. */
export type Check = (value: unknown) => boolean

export const isText: Check = (value) => typeof value === 'string'
export const isFlag: Check = (value) => typeof value === 'boolean'
export const isNumber: Check = (value) => typeof value === 'number' && !Number.isNaN(value)
/** A whole number of so many or more, which JSON keeps as it is. */
export function isWhole(least: number): Check {
  return (value) => Number.isSafeInteger(value) && Number(value) >= least
}

/** A quantity: finite, and no less than nothing. */
export const isAmount: Check = (value) =>
  typeof value === 'number' && value >= 0 && value < Infinity

export const isThere: Check = (value) => value !== undefined

export function optional(check: Check): Check {
  return (value) => value === undefined || check(value)
}

export function nullOr(check: Check): Check {
  return (value) => value === null || check(value)
}

/** A list of so many entries or fewer. */
export function listOf(check: Check, most = 10_000): Check {
  return (value) => Array.isArray(value) && value.length <= most && value.every(check)
}

export function shape(fields: Readonly<Record<string, Check>>): Check {
  // Two lists and a loop: every row of a conversation that is opened comes through here, in code that is
  // not optimised yet.
  const names = Object.keys(fields)
  const checks = Object.values(fields)
  return (value) => {
    if (!isRecord(value)) return false
    for (let at = 0; at < names.length; at++)
      if (!checks[at]?.(value[names[at] ?? ''])) return false
    return true
  }
}

/** Objects that say by a field of theirs which of the shapes they have. */
export function oneOf(field: string, shapes: Readonly<Record<string, Check>>): Check {
  const known = new Map<unknown, Check>(Object.entries(shapes))
  return (value) => isRecord(value) && (known.get(value[field])?.(value) ?? false)
}

/** One of these texts. */
export function among(texts: readonly string[]): Check {
  const known = new Set<unknown>(texts)
  return (value) => known.has(value)
}

/** One of a type's texts: one that is added to the type must be added here to compile. */
export function amongAll<Text extends string>(texts: Readonly<Record<Text, true>>): Check {
  return among(Object.keys(texts))
}
