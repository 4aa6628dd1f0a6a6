const PREFIX_WEIGHT = 0.4
const FUZZY_WEIGHT = 0.2

/** Most edits between a term and a similar one. Null for short terms, which match only exactly. */
export function fuzziness(asked: string): number | null {
  if (asked.length <= 3) return null
  return asked.length > 5 ? Math.round(asked.length * 0.15) : 0
}

/** Weight of a similar term: below 1, and 0 if it is too different. */
export function weightOf(term: string, asked: string, farthest: number): number {
  const { length } = term
  if (term.startsWith(asked))
    return (PREFIX_WEIGHT * length) / (length + 0.3 * (length - asked.length))
  if (Math.abs(length - asked.length) > farthest) return 0
  const edits = editsBetween(term, asked, farthest)
  return edits > farthest ? 0 : (FUZZY_WEIGHT * length) / (length + edits)
}

/** Levenshtein distance. Stops early once it exceeds `farthest`. */
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
