import { canonicalJson } from '../../lib/json/canonical-json.ts'

/** The indexes of two equal items, found in one pass; null when all items differ. */
export function firstTwins(items: readonly unknown[]): [number, number] | null {
  const indexByKey = new Map<unknown, number>()
  for (const [index, item] of items.entries()) {
    const key = typeof item === 'number' ? item : canonicalJson(item)
    const twin = indexByKey.get(key)
    if (twin !== undefined) return [twin, index]
    indexByKey.set(key, index)
  }
  return null
}
