import { once } from './once.ts'

/**
 * Kana, Chinese characters and Hangul syllables that are one token in the vocabularies o200k and cl100k. Each is stored
 * as the distance from the previous character, because distances compress better. A distance is a number in base 26,
 * with capital letters as digits. A lowercase letter is its last digit.
 */
const DISTANCES =
  'SEqbbibbbbbbblBmccccbbbcccbbbbbbcccbbcbcbbbbbdbbobcbcebbbbbcdbpbbcbbcbccbdccbbbbebbcdbbbbbfbcbbb' +
  'bddbcbccccbbbbgibKZshcbbcbfhcigdfibnbcuhBgfbcghjdeboflbdiclchkbecexcgBmhgcedeBfmqgCienBfBvBgElEm' +
  'fBddefcdbobgbmDtblrcemcfgxDaebbhBtBwrbBjhhghcBctzBcedibcefclhfbdebqebbdvfbdBboqvpCbhEwjKvEldcBdb' +
  'BhjikgCxCpBsCddCdBzDeudgjencidClkfCvOzhboBjcboedbudnBzdkjcdBdpvBcqNlhbmqbCbChbcjqebdpDggcnglBzcn' +
  'ptbhlxvcsBqBckuCaCfBdCwqJhbfBhjliBrcvqBkCegcDlmBktdBoInFahdfbjBoetsudjwrfryfmqtBtFdmibesjccojBcc' +
  'eBafmmCvBiBwbemEqNpJwBdBkbbboCoBafCjgBdoBdBeBkBaBatDfgCcrEvBzDkShDaEavKnbBhqKkBobDfdKvjjecerBeKn' +
  'jCzBdgejkbtHqBcEfHweBqDlmebBelqcbBxChDdohpBivgBdCbcxkqHmiEyBlcOybyflegddCdChBdBgElcchCuGnJdjExqE' +
  'hBCgYnBcDpHeckCcdcmrBdiqDlCiJkdkckeddrifdbhcfdeiDqHmcbbgmlBzoEcHgHfgdoucBrjjbhbcdsqbirfbdBwDnCgv' +
  'DcEvcbccBBqpDcczvDdmipCsfbgBrutkscDtbBxjDqeFpFaelnhfJpJmCyBNdEZveokDgBcBknBjvhEiFkiBwXsBcSmrBjBc' +
  'vhHovCleHkeeBwXsBcDgCfCdbEhFkBgeiBoBgFgBgrBkFnHkFkeEebFjeHkXseriuClvhBgCaFkFkrBnbdXoCeCeBcBciBwB' +
  'cDgvheBcCaCeeeimBceeiblbuhDhdrhBcCeFkHoeCaBAyIyHgUmEiDgeOyeZseeimHoBceCaPIjhbdbbbbbbbbbbbbbbbdbB' +
  'fBghEy'

export const COMMON_CHARACTERS: () => ReadonlySet<number> = once(() => codesFrom(DISTANCES))

function codesFrom(distances: string): Set<number> {
  const codes = new Set<number>()
  let code = 0
  let distance = 0
  for (const digit of distances) {
    distance = distance * 26 + Number.parseInt(digit, 36) - 10
    if (digit < 'a') continue
    codes.add((code += distance))
    distance = 0
  }
  return codes
}

/**
 * The letters that often follow each letter from a to z inside one token. Measured on English words and on names from
 * forty languages, tokenized with o200k and cl100k.
 */
const FOLLOWERS = once(() =>
  'bcdefghijklmnprstuvwxyz adeghjlorsuy abcehikloprstuwy adegilostuvy acdefghklmnpqrstvwxy aefilorstuwxy eghnrsuy aeilnorty abcdefghjklmnopqrstvxz abersu aehins adefiklopstuvy abdegilmnopsty acdefghknopstuvwy bcdfghijklmnoprstuvwxyz aeghilmoprstuxy clqrtu adefgikmnorstxy acefghilmopstuvwy acdehiloprstuwxy bcdefghklmnprstxyz abdehilmoxy adehiknorstw aceimpty ilnopsw ehx'
    .split(' ')
    .map((letters) =>
      Array.from(letters).reduce((mask, letter) => mask | bit(letter.charCodeAt(0)), 0),
    ),
)

const WORD = 1
/** A word and the sign before it are often one token: `"Save`, `=e12`, `/path`. */
const WORD_AFTER_SIGN = 0.6
/** Tokenizers split a word at a rare pair of letters. */
const RARE_PAIR = 1.75
const KNOWN_PAIR = 0.03
const CAPITAL = 0.1
/** A capital after a small letter, as in `saveAs` or base64. */
const CAPITAL_AFTER_SMALL = 0.6
const SIGN = 1.08
const SIGN_AFTER_SIGN = 0.7
const DIGITS_A_TOKEN = 3
const SPACES_A_TOKEN = 64

/**
 * Tokens per UTF-16 unit outside ASCII, by range of codes. Each pair holds a range's end and its cost, measured with
 * rare characters.
 */
const OTHER_COSTS: readonly (readonly [number, number])[] = [
  [0x2_50, 1.5],
  [0x3_70, 2],
  [0x4_00, 1.2],
  [0x5_30, 0.93],
  [0x5_90, 2.2],
  [0x7_00, 1.6],
  [0x9_00, 2.5],
  [0x9_80, 1.95],
  [0xe_00, 2.1],
  [0xe_80, 1.6],
  [0x1e_00, 3],
  [0x20_00, 2],
  [0x20_70, 1.5],
  [0x30_00, 2.5],
  [0x31_00, 2],
  [0xa0_00, 2.5],
  [0xd8_00, 2.7],
  [0xe0_00, 2],
  [0x1_00_00, 3],
]

type Kind = 'start' | 'letter' | 'digit' | 'space' | 'line' | 'sign' | 'other'

/**
 * Estimates a text's tokens, rather too high than too low, and close enough to fill a budget. Tokenizers first split a
 * text by kinds of characters, and then split words at rare pairs of letters.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(estimateUnrounded(text))
}

/** The estimate before rounding, so that the parts of a text can be added up. */
export function estimateUnrounded(text: string): number {
  let tokens = 0
  let last: Kind = 'start'
  let previousCode = 0
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const kind = kindOf(code)
    length = kind === last ? length + 1 : 1
    if (kind === 'letter') tokens += letterCost(code, previousCode, last)
    else if (kind === 'digit') tokens += digitCost(length, last)
    else if (kind === 'space') tokens += length % SPACES_A_TOKEN === 2 ? 1 : 0
    else if (kind === 'sign') tokens += last === 'sign' ? SIGN_AFTER_SIGN : SIGN
    else if (kind === 'line') tokens += last === 'sign' ? 0 : 0.5
    else tokens += otherCost(code, last)
    last = kind
    previousCode = code
  }
  return tokens
}

function kindOf(code: number): Kind {
  if (code > 127) return 'other'
  if (isSmall(code) || isCapital(code)) return 'letter'
  if (code >= 48 && code <= 57) return 'digit'
  if (code === 32) return 'space'
  return code === 10 ? 'line' : 'sign'
}

function letterCost(code: number, previousCode: number, last: Kind): number {
  if (last !== 'letter') return last === 'sign' ? WORD_AFTER_SIGN : WORD
  if (isCapital(code) && isSmall(previousCode)) return CAPITAL_AFTER_SMALL
  const isKnown = ((FOLLOWERS()[(previousCode | 32) - 97] ?? 0) & bit(code)) !== 0
  return (isKnown ? KNOWN_PAIR : RARE_PAIR) + (isCapital(code) ? CAPITAL : 0)
}

/** Tokens for a digit. A space before a number is a separate token, unlike a space before a word. */
function digitCost(length: number, last: Kind): number {
  if (length % DIGITS_A_TOKEN !== 1) return 0
  return last === 'space' ? 2 : 1.03
}

/** Tokens for other characters. In scripts without spaces between words, a space is mostly a separate token. */
function otherCost(code: number, last: Kind): number {
  if (COMMON_CHARACTERS().has(code)) return last === 'space' ? 2 : 1.03
  return OTHER_COSTS.find(([end]) => code < end)?.[1] ?? 3
}

function bit(code: number): number {
  return 1 << ((code | 32) - 97)
}

function isSmall(code: number): boolean {
  return code >= 97 && code <= 122
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90
}
