/** Changes between two states of plain data: the new values by path, with `null` for removed ones. */
export interface Patch {
  readonly [path: string]: unknown
}

interface Plain {
  [key: string]: unknown
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null
}

/** Paths are keys joined by dots. `null` itself is nowhere in what is compared. */
export function patchOf(before: unknown, after: unknown, path = ''): Patch {
  if (JSON.stringify(before) === JSON.stringify(after)) return {}
  const isSameKind =
    isPlain(before) && isPlain(after) && Array.isArray(before) === Array.isArray(after)
  if (!isSameKind) return { [path]: after ?? null }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return Object.assign(
    {},
    ...keys.map((key) => patchOf(before[key], after[key], path === '' ? key : `${path}.${key}`)),
  ) as Patch
}

export function patched(before: unknown, patch: Patch): unknown {
  const state: { root: unknown } = { root: structuredClone(before) }
  for (const [path, value] of Object.entries(patch)) {
    const keys = path === '' ? [] : path.split('.')
    const last = keys.pop() ?? 'root'
    const holder = keys.reduce<Plain>(
      (at, key) => at[key] as Plain,
      (path === '' ? state : state.root) as Plain,
    )
    if (value === null) remove(holder, last)
    else holder[last] = structuredClone(value)
  }
  return state.root
}

function remove(holder: Plain, key: string): void {
  // Lists only shrink at the end: removing an item removes all items after it.
  if (Array.isArray(holder)) holder.length = Math.min(holder.length, Number(key))
  else delete holder[key]
}
