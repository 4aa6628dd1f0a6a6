/**
 * The candidate that was probably meant; undefined when none is close. Prefers the same name in another letter
 * case or with other separators, then the smallest edit distance, at most two fifths of the length.
 */
export function suggestName(name: string, candidates: Iterable<string>): string | undefined {
  const plain = plainName(name)
  let best: string | undefined
  let bestDistance = Infinity
  for (const candidate of candidates) {
    const plainCandidate = plainName(candidate)
    if (plainCandidate === plain && candidate !== name) return candidate
    const allowed = allowedEdits(plain, plainCandidate)
    // Names of very different length can't be close enough.
    if (Math.abs(plain.length - plainCandidate.length) > allowed) continue
    const edits = editDistance(plain, plainCandidate)
    if (edits < bestDistance && edits <= allowed) {
      best = candidate
      bestDistance = edits
    }
  }
  return best
}

/** A name without letter case and separators. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s.]/g, '')
}

function allowedEdits(a: string, b: string): number {
  return Math.max(1, Math.floor(Math.max(a.length, b.length) * 0.4)) + (sharesAffix(a, b) ? 1 : 0)
}

/** Whether one name contains the other: `mail` for `email`, `player` for `player_id`. */
function sharesAffix(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 3 && (a.includes(b) || b.includes(a))
}

/** Number of characters to add, remove or change (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = [...Array(b.length + 1).keys()]
  for (let at = 0; at < a.length; at++) {
    const next = [at + 1]
    for (let column = 0; column < b.length; column++) {
      const substitution = (row[column] ?? 0) + (a[at] === b[column] ? 0 : 1)
      next.push(Math.min(substitution, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
