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
