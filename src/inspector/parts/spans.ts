/** From and to, in milliseconds. */
export type Span = readonly [number, number]

/** How long it is that at least one of them lasts. */
export function coveredMs(spans: readonly Span[]): number {
  let covered = 0
  let until = -Infinity
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    covered += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  return covered
}
