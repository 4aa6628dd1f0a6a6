/** `removeUser_btn` as `remove user btn`: how a hint shows a mark that its author gave. */
export function hintWords(mark: string): string {
  return mark
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
}
