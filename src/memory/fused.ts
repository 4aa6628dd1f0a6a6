/** The constant of reciprocal rank fusion, as in its paper (Cormack, Clarke and Büttcher, SIGIR 2009). */
const RANK_OFFSET = 60

/** Merges several rankings, best first, into one. Entries with the same key count as one. */
export function fuseRankings<Entry>(
  rankings: readonly (readonly Entry[])[],
  keyOf: (entry: Entry) => unknown,
): Entry[] {
  const scores = new Map<unknown, { readonly entry: Entry; score: number }>()
  for (const ranking of rankings)
    for (const [rank, entry] of ranking.entries()) {
      const ranked = scores.get(keyOf(entry)) ?? { entry, score: 0 }
      ranked.score += 1 / (RANK_OFFSET + rank)
      scores.set(keyOf(entry), ranked)
    }
  return [...scores.values()].sort((a, b) => b.score - a.score).map(({ entry }) => entry)
}
