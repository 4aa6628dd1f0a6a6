/** The source of a pattern that matches any of these texts. */
export function anyOf(texts: Iterable<string>): string {
  return [...texts].map((text) => text.replaceAll(/[[\]|()]/g, '\\$&')).join('|')
}
