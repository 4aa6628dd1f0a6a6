import { isNode, type OutlineItem } from './outline-node.ts'

/** Whether the elements that both lists contain have another order now. */
export function isReordered(was: readonly OutlineItem[], now: readonly OutlineItem[]): boolean {
  const before = elementsIn(was)
  const places = new Map(before.map((element, place) => [element, place]))
  let last = -1
  for (const element of elementsIn(now)) {
    const place = places.get(element)
    if (place === undefined) continue
    if (place < last) return true
    last = place
  }
  return false
}

export function elementsIn(items: readonly OutlineItem[]): Element[] {
  return items.filter(isNode).map(({ element }) => element)
}
