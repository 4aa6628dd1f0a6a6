import { hintAmong } from '../../client/check-names.ts'
import { OffstageError } from '../../protocol/error.ts'

/** `path`: the place in the configuration, such as `agents[1].memory[0].kind`. */
export function wrongAt(path: string, message: string): OffstageError {
  return new OffstageError('invalid-config', message, { details: { path } })
}

/** Does a part of the work, and says in its errors which part of the configuration it is about. */
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

/** Throws for a field that isn't known. `elsewhere`: the fields of another place, and its name. */
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

/** The items of a field that is a list, or isn't there. */
export function listOf<Item>(
  value: readonly Item[] | undefined,
  field: string,
  items: string,
): readonly Item[] {
  if (value === undefined || Array.isArray(value)) return value ?? []
  throw wrongAt(field, `${field} must be a list of ${items}.`)
}

/** What stands beside the configuration under a name. */
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
