/** Replaces repeats of secret texts in other texts. */
export interface Repeats {
  isIn(text: string): boolean
  /** The text with what stands for each secret in its place. */
  replace(text: string): string
}

/** So long, a text is found inside of words, too. */
const LONG = 8

/** Shorter ones are words of a page as likely as secrets. */
const SHORTEST = 3

/**
 * Finds texts as they are, and as JSON, XML and addresses write them. Short ones are found where they stand alone only,
 * the shortest ones nowhere.
 */
export function findRepeats(secrets: ReadonlyMap<string, string>): Repeats {
  const replacements = new Map<string, string>()
  for (const [secret, replacement] of secrets)
    for (const text of [secret, secret.trim()].flatMap(writings))
      if (text.length >= SHORTEST && !replacements.has(text)) replacements.set(text, replacement)
  const texts = [...replacements.keys()].toSorted((one, other) => other.length - one.length)
  const pattern = new RegExp(texts.map(patternOf).join('|') || '(?!)', 'gu')
  const replace = (text: string): string =>
    text.replace(pattern, (found) => replacements.get(found) ?? found)
  return { replace, isIn: (text) => replace(text) !== text }
}

function writings(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const xml = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quoted = xml.replaceAll('"', '&quot;')
  const form = new URLSearchParams({ v: text }).toString().slice(2)
  const apostrophes = ['&#39;', '&apos;'].map((entity) => quoted.replaceAll("'", entity))
  return [text, json, xml, quoted, ...apostrophes, form, form.replaceAll('+', '%20')]
}

function patternOf(text: string): string {
  const exact = text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, (character) =>
    character === '-' ? '\\x2d' : `\\${character}`,
  )
  return text.length >= LONG ? exact : `(?<![\\p{L}\\p{N}])${exact}(?![\\p{L}\\p{N}])`
}
