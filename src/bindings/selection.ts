/** What a component shows of a value: the same object as before as long as that is alike. */
export function selection<Value, Shown>(
  select: (value: Value) => Shown,
  before: () => Shown | undefined,
): (value: Value) => Shown {
  let last: { readonly value: Value; readonly shown: Shown } | undefined
  return (value) => {
    if (last?.value === value) return last.shown
    const shown = select(value)
    const known = last ? last.shown : before()
    last = { value, shown: isAlike(known, shown) ? (known as Shown) : shown }
    return last.shown
  }
}

/** Of objects and arrays: that all they hold is the same. */
function isAlike(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (!isRecord(a) || !isRecord(b) || a.constructor !== b.constructor) return false
  const names = Object.keys(a)
  const isShared = (name: string): boolean => Object.hasOwn(b, name) && Object.is(a[name], b[name])
  return names.length === Object.keys(b).length && names.every(isShared)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value instanceof Object && [Object, Array].some((kind) => value.constructor === kind)
}
