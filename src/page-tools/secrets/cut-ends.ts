import { hintWords } from './hint-words.ts'

/** Place where a text was cut, at its end or its beginning. Skips the `…` before a number of omitted things. */
const CUT = /(?<=\S)…|…(?=\S)/g
const LEAST_PART = 4
/** Characters that don't count: gaps between the parts of a value, and those that quoting adds. */
const GAP = /[\s|\\-]/
const GAPS = /[\s|\\-]+/g

/** Returns a function that masks what is left of a secret before or after a cut. */
export function cutEndsOf(values: readonly string[], mask: string): (text: string) => string {
  const forms = new Set(values.flatMap(formsOf))
  const beginnings = byBeginning(forms)
  let endings: Beginnings | undefined
  return (text) => {
    if (!text.includes('…')) return text
    let clean = ''
    let from = 0
    for (const { index } of text.matchAll(CUT)) {
      if (index < from) continue
      const before = text.slice(from, index)
      const left = partLength(lastLine(before), beginnings)
      clean += left > 0 ? before.slice(0, -left) + mask : before
      clean += '…'
      const [behind = ''] = text.slice(index + 1).split('\n', 1)
      const right = behind ? partLength(reversed(behind), (endings ??= endingsOf(forms))) : 0
      if (right > 0) clean += mask
      from = index + 1 + right
    }
    return clean + text.slice(from)
  }
}

const ASCII = /^[\0-\x7F]*$/

function formsOf(value: string): string[] {
  const composed = ASCII.test(value)
    ? []
    : [value.normalize('NFC'), value.normalize('NFD')].map(plain)
  const wellFormed = value.replace(/\p{Surrogate}/gu, '\uFFFD')
  return [
    plain(value),
    ...composed,
    plain(encodeURIComponent(wellFormed)),
    plain(hintWords(value)),
  ].filter(({ length }) => length >= LEAST_PART)
}

function plain(text: string): string {
  return text.replace(GAPS, '').replaceAll('"', "'")
}

function sign(character: string): string {
  return GAP.test(character) ? '' : character === '"' ? "'" : character
}

/** Values by their first characters. */
type Beginnings = ReadonlyMap<string, readonly string[]>

function byBeginning(values: Iterable<string>): Beginnings {
  const found = new Map<string, string[]>()
  for (const value of values) {
    const beginning = value.slice(0, LEAST_PART)
    const those = found.get(beginning)
    if (those) those.push(value)
    else found.set(beginning, [value])
  }
  return found
}

function endingsOf(values: ReadonlySet<string>): Beginnings {
  return byBeginning([...values].map(reversed))
}

/** Length of the longest end of the text that is the beginning of a value. */
function partLength(text: string, values: Beginnings): number {
  const characters: { readonly sign: string; readonly at: number }[] = []
  for (let at = 0; at < text.length; at += 1) {
    const one = sign(text.charAt(at))
    if (one) characters.push({ sign: one, at })
  }
  const all = characters.map((one) => one.sign).join('')
  for (let start = 0; start + LEAST_PART <= all.length; start += 1) {
    const likely = values.get(all.slice(start, start + LEAST_PART))
    if (!likely) continue
    const end = all.slice(start)
    if (likely.some((value) => value.startsWith(end)))
      return text.length - (characters[start]?.at ?? text.length)
  }
  return 0
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1)
}

function reversed(text: string): string {
  return text.split('').toReversed().join('')
}
