import { once } from './once.ts'

/**
 * Kana, Chinese characters and Hangul syllables that are one token in the vocabularies o200k and cl100k: in
 * ascending order, each as its distance from the one before it, since characters as such hardly compress. A
 * distance is a number in base 26, whose last digit is the small letter.
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
