/** Scripts without spaces between words, or with endings attached to them. Split into pairs of characters. */
const IN_PAIRS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u

/** Runs of one kind: such scripts with their marks, or other letters, marks and digits. */
const RUNS =
  /(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]\p{M}*)+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー])[\p{L}\p{N}]\p{M}*)+/gu

const LATIN_MARKS = /(?<=\p{Script=Latin})\p{M}+/gu

/** Endings of plurals and cases in English, German and similar languages, after at least four letters. */
const ENDING = /(?<=[a-z]{4})(?:e?[nrs]|em?)$/

/** Search terms of a text: words without Latin diacritics, and pairs of characters. */
export function tokensOf(text: string): string[] {
  const runs = text.normalize('NFKC').toLowerCase().match(RUNS) ?? []
  return runs.flatMap((run) => (IN_PAIRS.test(run) ? pairsOf(run) : plain(run)))
}

function pairsOf(run: string): string[] {
  const characters = Array.from(run)
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`)
}

function plain(word: string): string {
  return word.normalize('NFD').replace(LATIN_MARKS, '').normalize('NFC').replace(ENDING, '')
}
