const PREFIX_WEIGHT = 0.4
const FUZZY_WEIGHT = 0.2

/** Edits that a similar term may be away. Null for short terms, which only themselves match. */
export function fuzziness(asked: string): number | null {
  if (asked.length <= 3) return null
  return asked.length > 5 ? Math.round(asked.length * 0.15) : 0
}

/** Below 1, and 0 for terms that are too different. */
export function weightOf(term: string, asked: string, farthest: number): number {
  const { length } = term
  if (term.startsWith(asked))
    return (PREFIX_WEIGHT * length) / (length + 0.3 * (length - asked.length))
  if (Math.abs(length - asked.length) > farthest) return 0
  const edits = editsBetween(term, asked, farthest)
  return edits > farthest ? 0 : (FUZZY_WEIGHT * length) / (length + edits)
}

/** Levenshtein distance. Stops where it is above `farthest`. */
function editsBetween(one: string, other: string, farthest: number): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let place = 1; place <= other.length; place++)
      next.push(
        Math.min(
          (row[place] ?? 0) + 1,
          (next[place - 1] ?? 0) + 1,
          (row[place - 1] ?? 0) + (one[at - 1] === other[place - 1] ? 0 : 1),
        ),
      )
    if (Math.min(...next) > farthest) return farthest + 1
    row = next
  }
  return row[other.length] ?? 0
}
