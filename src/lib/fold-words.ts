/**
 * For patterns of text that `foldWords` folded: letters, and letters and numbers. An expression with `\p{L}` takes a
 * hundred times as long to build as one with these ranges.
 */
export const LETTERS = 'a-zß-\\u1fff\\u2c00-\\uffff'
export const LETTERS_AND_NUMBERS: string = `0-9❶${LETTERS}`

/** Words as the patterns have them: in lower case, with one space for all that separates them. */
export function foldWords(text: string): string {
  return foldLetters(
    text
      // `cardNumber` and `card_number` are made of words.
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase(),
  )
    .toLowerCase()
    .replace(/[\s_.\-‐-―]+/g, ' ')
    .replace(
      // Letters that `LETTERS` lacks, and all that it takes for a letter by mistake: 𐐨, 🗑 and ३.
      /(?=[\p{L}\p{N}])[^\0-\x7fß-\u1fff\u2c00-\uffff]|(?!\p{L})[ß-\u1fff\u2c00-\u{10ffff}]/gu,
      (character) => {
        if (/\p{L}/u.test(character)) return 'ƀ'
        return /\p{N}/u.test(character) ? '❶' : '¬'
      },
    )
}

/** Without accents, points and joiners, so that one form of a letter stands for all of them. */
export function foldLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\u200B-\u200F]/gu, '')
    .normalize('NFC')
    .replace(/[ıłđيىك]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
}

const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ı: 'i',
  ł: 'l',
  đ: 'd',
  ي: 'ی',
  ى: 'ی',
  ك: 'ک',
}
