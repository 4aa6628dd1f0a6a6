/** Replaces secrets wherever they occur in texts. */
export interface SecretReplacer {
  hasSecret(text: string): boolean
  /** Returns the text with each secret replaced by its placeholder. */
  replace(text: string): string
}

/** Secrets of at least this length are found inside words, too. */
const LONG = 8

/** Secrets that are shorter than this are ignored, because ordinary text would match them. */
const SHORTEST = 3

/** Finds secrets as written, and as escaped in JSON, XML and URLs. `secrets`: placeholders by secret. */
export function createSecretReplacer(secrets: ReadonlyMap<string, string>): SecretReplacer {
  const replacements = new Map<string, string>()
  for (const [secret, replacement] of secrets)
    for (const text of [secret, secret.trim()].flatMap(encodings))
      if (text.length >= SHORTEST && !replacements.has(text)) replacements.set(text, replacement)
  const texts = [...replacements.keys()].toSorted((first, second) => second.length - first.length)
  const pattern = new RegExp(texts.map(patternOf).join('|') || '(?!)', 'gu')
  const replace = (text: string): string =>
    text.replace(pattern, (match) => replacements.get(match) ?? match)
  return { replace, hasSecret: (text) => replace(text) !== text }
}

function encodings(text: string): string[] {
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
