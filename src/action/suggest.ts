import { distance } from 'fastest-levenshtein'

/**
 * The candidate that was probably meant, or undefined when none is near: the same name in another
 * letter case or with other separators first, then the smallest edit distance, at most two fifths of the length.
 */
export function suggestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = plainName(name)
  let best: string | undefined
  let bestDistance = Infinity
  for (const candidate of candidates) {
    const other = plainName(candidate)
    if (other === wanted && candidate !== name) return candidate
    const edits = distance(wanted, other)
    if (edits < bestDistance && edits <= allowedEdits(wanted, other)) {
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

/** `mail` for `email`, `player` for `player_id`: one holds the other. */
function sharesAffix(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 3 && (a.includes(b) || b.includes(a))
}
