/** Matches marks that consist of words already, as most do. */
const WORDS = /^[a-z0-9]+(?: [a-z0-9]+)*$/

/** Splits a name that a developer gave into words for a hint: `removeUser_btn` becomes `remove user btn`. */
export function hintWords(mark: string): string {
  if (WORDS.test(mark)) return mark
  return mark
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
}
