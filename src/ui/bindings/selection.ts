/** Memoizes `select`: returns the previous result, at first `shown`, while the new one is shallowly equal. */
export function memoizeSelector<Value extends object, Shown>(
  select: (value: Value) => Shown,
  shown?: Shown,
): (value: Value) => Shown {
  let last: Value | undefined
  let newest = shown as Shown
  return (value) => {
    if (last !== value) {
      const selected = select(value)
      if (!isAlike(newest, selected)) newest = selected
      last = value
    }
    return newest
  }
}

/** Compares arrays and plain objects by their members, and all else by `Object.is`. */
function isAlike(a: unknown, b: unknown): boolean {
  if (!isHolder(a) || !isHolder(b) || a.constructor !== b.constructor) return Object.is(a, b)
  const names = Object.keys(a)
  const isShared = (name: string): boolean => Object.hasOwn(b, name) && Object.is(a[name], b[name])
  return names.length === Object.keys(b).length && names.every(isShared)
}

function isHolder(value: unknown): value is Readonly<Record<string, unknown>> {
  return value?.constructor === Object || Array.isArray(value)
}
