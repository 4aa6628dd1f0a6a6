/**
 * More than data needs, and less than a second of work. A schema that refers to itself twice for one property doubles
 * the checks with each level of a value.
 */
const MAX_FOLLOWED = 100_000

/** Counts the `$ref`s that are followed during one check of a value. Throws once there are too many. */
export function boundedLookup<Lookup extends object>(lookup: Lookup): Lookup {
  let followed = 0
  return new Proxy(lookup, {
    get(target, reference) {
      if (++followed > MAX_FOLLOWED)
        throw new Error(`its schema takes more than ${MAX_FOLLOWED} steps with this value`)
      return Reflect.get(target, reference) as unknown
    },
  })
}
