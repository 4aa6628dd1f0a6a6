import { isRecord } from './is-record.ts'

export { isRecord }

/** Parses a JSON text. Null if there is none or it can't be read. */
export function parseOrNull(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}

/** Checks whether a value from a store has the expected shape. */
export type ShapeCheck = (value: unknown) => boolean

export const isText: ShapeCheck = (value) => typeof value === 'string'
export const isBoolean: ShapeCheck = (value) => typeof value === 'boolean'
export const isNumber: ShapeCheck = (value) => typeof value === 'number' && !Number.isNaN(value)
/** Checks for a safe integer of at least `least`. JSON preserves such a number exactly. */
export function isIntegerFrom(least: number): ShapeCheck {
  return (value) => Number.isSafeInteger(value) && Number(value) >= least
}

/** Checks for a finite number that isn't negative. */
export const isAmount: ShapeCheck = (value) =>
  typeof value === 'number' && value >= 0 && value < Infinity

export const isDefined: ShapeCheck = (value) => value !== undefined

export function optional(check: ShapeCheck): ShapeCheck {
  return (value) => value === undefined || check(value)
}

export function nullOr(check: ShapeCheck): ShapeCheck {
  return (value) => value === null || check(value)
}

/** Checks for a list of at most `most` valid entries. */
export function listOf(check: ShapeCheck, most = 10_000): ShapeCheck {
  // Unlike `every`, `findIndex` doesn't skip holes, which a damaged row may have.
  return (value) =>
    Array.isArray(value) && value.length <= most && value.findIndex((each) => !check(each)) < 0
}

export function shape(fields: Readonly<Record<string, ShapeCheck>>): ShapeCheck {
  // Uses two lists and a loop, because this runs for every row of an opened conversation, before the engine optimizes
  // it.
  const names = Object.keys(fields)
  const checks = Object.values(fields)
  return (value) => {
    if (!isRecord(value)) return false
    for (let at = 0; at < names.length; at++)
      if (!checks[at]?.(value[names[at] ?? ''])) return false
    return true
  }
}

/** Checks for an object whose `field` selects one of the shapes. */
export function discriminatedUnion(
  field: string,
  shapes: Readonly<Record<string, ShapeCheck>>,
): ShapeCheck {
  const checks = new Map<unknown, ShapeCheck>(Object.entries(shapes))
  return (value) => isRecord(value) && (checks.get(value[field])?.(value) ?? false)
}

/** Checks for any of these texts. */
export function among(texts: readonly string[]): ShapeCheck {
  const allowed = new Set<unknown>(texts)
  return (value) => allowed.has(value)
}

/** Checks for a text of a union type. A new member of the type must be added here to compile. */
export function amongAll<Text extends string>(texts: Readonly<Record<Text, true>>): ShapeCheck {
  return among(Object.keys(texts))
}
