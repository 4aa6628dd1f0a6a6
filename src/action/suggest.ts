import { lazyPattern } from '../lib/once.ts'
import { CallProblem } from './call-problem.ts'
import { alternation } from './char-codes.ts'

/**
 * The candidate that was probably meant; undefined when none is close. Prefers the same name in another letter
 * case or with other separators, then the smallest edit distance, at most two fifths of the length.
 */
export function suggestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = plainName(name)
  let best: string | undefined
  let bestDistance = Infinity
  for (const candidate of candidates) {
    const other = plainName(candidate)
    if (other === wanted && candidate !== name) return candidate
    const allowed = allowedEdits(wanted, other)
    // Names of very different length can't be close enough.
    if (Math.abs(wanted.length - other.length) > allowed) continue
    const edits = editDistance(wanted, other)
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
  let row = Array.from({ length: b.length + 1 }, (_, length) => length)
  for (const [at, character] of a.split('').entries()) {
    const next = [at + 1]
    for (let other = 0; other < b.length; other++) {
      const changed = (row[other] ?? 0) + (character === b[other] ? 0 : 1)
      next.push(Math.min(changed, (row[other + 1] ?? 0) + 1, (next[other] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** Namespaces that models write before a tool's name, with a dot or a colon. */
export const namespaces: readonly string[] = 'functions function default_api tools tool api'.split(
  ' ',
)

const namespace = lazyPattern(() => `^(?:${alternation(namespaces)})[.:]`)

/** Removes the namespace and the index of a name. */
export function bareName(name: string): string {
  return name.trim().replace(/:\d+$/, '').replace(namespace(), '')
}

/**
 * The registered name that a native call means. Either the same name, or the only one that differs just in
 * letter case, separators or a namespace (`functions.search`). Never guesses.
 */
export function resolveToolName(name: string, registered: readonly string[]): string | undefined {
  if (registered.includes(name)) return name
  const wanted = [name, bareName(name)].map(plainName)
  const [only, ...others] = registered.filter((each) => wanted.includes(plainName(each)))
  return others.length > 0 ? undefined : only
}

/** The problem of a call to an unknown tool. */
export function unknownTool(name: string, names: readonly string[]): CallProblem {
  const suggestion = suggestName(name, names)
  const hint = suggestion ? `, did you mean '${suggestion}'?` : '.'
  const list = names.length > 40 ? [...names.slice(0, 40), '…'] : names
  return new CallProblem(
    'unknown_tool',
    `Unknown tool '${name}'${hint} Available tools: ${list.join(', ') || 'none'}.`,
    suggestion,
  )
}
