/**
 * How well a text matches a query, both normalised: 1 when equal, less for a prefix, a part, or some of the
 * words; 0 for no match.
 */
export function similarity(query: string, text: string): number {
  if (!query || !text) return 0
  if (query === text) return 1
  const share = query.length / text.length
  if (text.startsWith(query)) return 0.85 + 0.1 * share
  if (text.includes(query)) return 0.7 + 0.15 * share
  const words = query.split(' ')
  const found = words.filter((word) => text.includes(word)).length
  if (found === words.length) return 0.6
  if (words.length > 1 && found * 2 >= words.length) return 0.4 * (found / words.length)
  return query.includes(text) && text.length > 2
    ? 0.3 * (text.length / query.length)
    : typo(query, text)
}

/** One letter too many, too few or wrong in a single word. */
function typo(query: string, text: string): number {
  if (query.length < 4 || Math.abs(query.length - text.length) > 1) return 0
  let start = 0
  while (start < query.length && query[start] === text[start]) start += 1
  let end = 0
  const room = Math.min(query.length, text.length) - start
  while (end < room && query.at(-1 - end) === text.at(-1 - end)) end += 1
  return Math.max(query.length, text.length) - start - end <= 1 ? 0.5 : 0
}
