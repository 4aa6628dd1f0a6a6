import { foldLetters, foldWords } from '../../lib/fold-words.ts'
import { findSecretWord } from '../../lib/secret-words.ts'
import { CODE_WORDS, DUE_WORDS, EXPIRY_WORDS, HARMLESS_CODES } from './code-words.ts'
import { lazyPattern } from '../../lib/once.ts'

/** What words say of a field: it is secret; it is a code or a card's date, if it has the form or the place of one; nothing. */
export type WordSense = 'secret' | 'code' | 'expiry' | 'due' | null

const known = new Map<string, WordSense>()
const MAX_KNOWN = 1000

/** "Enter the 6-digit code". */
const countedCode =
  /\b[4-8][ -]?(?:digit|stellig|cifre|digitos|chiffres|cijfer|cyfr)|[4-8] ?(?:桁|位|자리|значн|haneli|chu so|رقم)/u
/** The tables are folded as the words are: their accents are for those who read them. */
const harmless = lazyPattern(() => foldLetters(HARMLESS_CODES))
const code = lazyPattern(() => foldLetters(CODE_WORDS))
const expiry = lazyPattern(() => foldLetters(EXPIRY_WORDS))
const due = lazyPattern(() => foldLetters(DUE_WORDS))

/** Words that name a code which is no secret make it none, but for what is clearly one. */
export function senseOf(words: string): WordSense {
  const sense = known.get(words)
  if (sense !== undefined) return sense
  if (known.size >= MAX_KNOWN) known.clear()
  const made = read(foldWords(words))
  known.set(words, made)
  return made
}

function read(text: string): WordSense {
  const found = findSecretWord(text)
  // A PIN code is a postal code where the address is asked for.
  if (found && !(found.startsWith('pin') && harmless().test(text))) return 'secret'
  if (harmless().test(text)) return null
  if (countedCode.test(text)) return 'secret'
  if (expiry().test(text)) return 'expiry'
  if (due().test(text)) return 'due'
  return code().test(text) ? 'code' : null
}
