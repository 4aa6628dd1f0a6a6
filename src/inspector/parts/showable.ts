/** Deeper than what tools take; what goes through it call by call stays well within a browser's stack. */
const DEEPEST = 500

/** What is free within rows: it is shown as data only. */
const FREE: ReadonlySet<string> = new Set(['input', 'output', 'value', 'values', 'data', 'details'])

interface Place {
  readonly value: unknown
  readonly depth: number
  readonly isFree: boolean
}

/** Whether what was read from a file can be shown: it isn't nested too deep, and each of its records can be put into words. */
export function isShowable(value: unknown): boolean {
  const open: Place[] = [{ value, depth: 0, isFree: false }]
  for (let place = open.pop(); place; place = open.pop()) {
    const { depth, isFree } = place
    if (typeof place.value !== 'object' || place.value === null) continue
    if (depth >= DEEPEST || (!isFree && hasNoWords(place.value))) return false
    for (const [name, inner] of Object.entries(place.value))
      open.push({ value: inner, depth: depth + 1, isFree: isFree || FREE.has(name) })
  }
  return true
}

/** `String()` of it throws. */
function hasNoWords(value: object): boolean {
  return Object.hasOwn(value, 'toString') || Object.hasOwn(value, 'valueOf')
}
