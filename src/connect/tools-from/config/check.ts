import { hintAmong } from '../../../client/api/check-names.ts'
import { OffstageError } from '../../../protocol/error.ts'

/** `path`: the place in the configuration, such as `agents[1].memory[0].kind`. */
export function wrongAt(path: string, message: string): OffstageError {
  return new OffstageError('invalid-config', message, { details: { path } })
}

/** Runs `work`. Its errors name this part of the configuration in their message and in `details.path`. */
export function within<Value>(place: string, work: () => Value): Value {
  try {
    return work()
  } catch (cause) {
    if (!OffstageError.is(cause)) throw cause
    const inner = cause.details?.['path']
    const path = typeof inner === 'string' && inner !== '' ? joined(place, inner) : place
    const details = { ...cause.details, path }
    throw new OffstageError(cause.code, `${place}: ${cause.message}`, { cause, details })
  }
}

function joined(place: string, inner: string): string {
  return inner.startsWith('[') ? `${place}${inner}` : `${place}.${inner}`
}

/** Throws for an unknown field. `others` are the fields of another place, which `elsewhere` names. */
export function checkFields(
  value: unknown,
  known: readonly string[],
  {
    of,
    others = [],
    elsewhere = '',
  }: {
    readonly of: string
    readonly others?: readonly string[]
    readonly elsewhere?: string
  },
): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrongAt('', `${of} must be an object.`)
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue
    const hint = others.includes(name) ? ` It goes ${elsewhere}.` : ''
    throw wrongAt(name, `${of} has no ${name}.${hint} ${hintAmong(name, known)}`)
  }
}

/** Items of an optional list. Throws if the field isn't a list. */
export function listOf<Item>(
  value: readonly Item[] | undefined,
  field: string,
  items: string,
): readonly Item[] {
  if (value === undefined || Array.isArray(value)) return value ?? []
  throw wrongAt(field, `${field} must be a list of ${items}.`)
}

/** Finds an item that was passed beside the configuration. Throws if the name is unknown. */
export function namedAt<Value>(
  path: string,
  { name, what, among }: { name: unknown; what: string; among: ReadonlyMap<unknown, Value> },
): Value {
  const found = among.get(name)
  if (found !== undefined) return found
  const hint = among.size > 0 ? ` ${hintAmong(String(name), [...among.keys()].map(String))}` : ''
  throw wrongAt(
    path,
    `${path} names ${String(name)}, and there is no such ${what} beside the configuration.${hint}`,
  )
}
