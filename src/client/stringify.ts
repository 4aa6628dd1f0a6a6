/** Maximum nesting of a stored row. */
const MAX_LEVELS = 100

/**
 * JSON for any value from a page. Cycles, big integers, maps, errors, binary data and DOM nodes get a readable form.
 * Functions and symbols give `undefined`. Throws if a `toJSON` throws, or beyond 100 levels. `inPlaceOf` returns the
 * text that replaces a value.
 */
export function stringify(
  value: unknown,
  inPlaceOf: (raw: unknown) => string | false = () => false,
): string | undefined {
  const parents: unknown[] = []
  return JSON.stringify(value, function (this: unknown, _key, raw: unknown) {
    const text = inPlaceOf(raw)
    if (text !== false) return text
    if (typeof raw === 'bigint') return String(raw)
    if (typeof raw !== 'object' || raw === null) return raw
    while (parents.length && parents.at(-1) !== this) parents.pop()
    if (parents.includes(raw)) return '[Circular]'
    if (parents.length === MAX_LEVELS) throw new RangeError('it is nested too deeply')
    const item = readable(raw)
    parents.push(item)
    return item
  })
}

function readable(raw: object): unknown {
  const tag = tagOf(raw)
  if (tag === 'Error') return { name: (raw as Error).name, message: (raw as Error).message }
  if (tag === 'Map') return Object.fromEntries(raw as Map<PropertyKey, unknown>)
  if (tag === 'Set') return [...(raw as Set<unknown>)]
  if (/^(Int|Uint16|Uint32|Float|Big)\w*Array$/.test(tag)) return Array.from(raw as Float64Array)
  return 'nodeType' in raw || 'byteLength' in raw || tag === 'Blob' || tag === 'File'
    ? `[${tag}]`
    : raw
}

/** The value's built-in tag, such as `Map`. Unlike `instanceof`, the tag works across frames. */
export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}
