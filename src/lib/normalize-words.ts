/**
 * Character classes for patterns that match text from `normalizeWords`. A regular expression with `\p{L}` would take a
 * hundred times as long to build.
 */
export const LETTERS = 'a-zß-\\u1fff\\u2c00-\\uffff'
export const LETTERS_AND_NUMBERS: string = `0-9❶${LETTERS}`

/** Normalizes text for the patterns: lower case, with one space between words. */
export function normalizeWords(text: string): string {
  return normalizeLetters(
    text
      // `cardNumber` is two words. Underscores are replaced below.
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase(),
  )
    .toLowerCase()
    .replace(/[\s_.\-‐-―]+/g, ' ')
    .replace(
      // Letters and numbers outside `LETTERS` (𐐨), and characters within its ranges that aren't letters (🗑, ३).
      /(?=[\p{L}\p{N}])[^\0-\x7fß-\u1fff\u2c00-\uffff]|(?!\p{L})[ß-\u1fff\u2c00-\u{10ffff}]/gu,
      (character) => {
        if (/\p{L}/u.test(character)) return 'ƀ'
        return /\p{N}/u.test(character) ? '❶' : '¬'
      },
    )
}

/** Removes accents, vowel points and joiners, so that all forms of a letter are equal. */
export function normalizeLetters(text: string): string {
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

/** Cyrillic, Greek and Armenian letters, each before the Latin letter that it looks like. */
const PAIRS =
  'аaАAвbВBсcСCԁdеeЕEԍgһhНHіiІIјjЈJкkКKӏlмmМMоoОOрpРPԛqѕsЅSтtТTυuνvѵvԝwԜWхxХXуyУYүyҮY' +
  'αaΑAβbΒBεeΕEΗHιiΙIκkΚKΜMΝNοoΟOρpΡPτtΤTχxΧXγyΥYΖZհhոnսuցgօoՕO'

/** Replaces look-alike letters with Latin ones: "Рay" with a Cyrillic Р becomes Latin "Pay". */
export function withLatinLetters(text: string): string {
  return text.replace(/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/gu, (letter) => {
    const at = PAIRS.indexOf(letter)
    return at < 0 ? letter : PAIRS.charAt(at + 1)
  })
}
