/** Memoizes `select`: returns the previous result (at first `initial`) while the new result is shallowly equal. */
export function memoizeSelector<Value extends object, Shown>(
  select: (value: Value) => Shown,
  initial?: Shown,
): (value: Value) => Shown {
  let last: Value | undefined
  let newest = initial as Shown
  return (value) => {
    if (last !== value) {
      const selected = select(value)
      if (!isShallowEqual(newest, selected)) newest = selected
      last = value
    }
    return newest
  }
}

/** Compares arrays and plain objects by their members, and all else by `Object.is`. */
function isShallowEqual(a: unknown, b: unknown): boolean {
  if (!isContainer(a) || !isContainer(b) || a.constructor !== b.constructor) return Object.is(a, b)
  const names = Object.keys(a)
  const isShared = (name: string): boolean => Object.hasOwn(b, name) && Object.is(a[name], b[name])
  return names.length === Object.keys(b).length && names.every(isShared)
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return value?.constructor === Object || Array.isArray(value)
}
