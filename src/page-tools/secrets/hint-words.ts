/** Most marks that are words already. */
const WORDS = /^[a-z0-9]+(?: [a-z0-9]+)*$/

/** `removeUser_btn` as `remove user btn`: how a hint shows a mark that its author gave. */
export function hintWords(mark: string): string {
  if (WORDS.test(mark)) return mark
  return mark
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
}
