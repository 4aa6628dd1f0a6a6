import { lazyPattern } from '../../lib/once.ts'

/** What a recovery phrase of a wallet is called, by language. */
const LABELS = [
  '(?:recovery|seed|secret|backup|mnemonic)[ -](?:phrase|words)',
  '(?:your|wallet|secret|my) seed\\b',
  '(?:wiederherstellungs|seed|sicherungs|backup)[ -]?(?:phrase|wörter|worte)',
  'phrase (?:de récupération|secrète|mnémonique|de sauvegarde)',
  'frase (?:de recuperaci[óo]n|de recuperação|de respaldo|secreta|semilla|semente|mnemónica)',
  'frase (?:di recupero|segreta|mnemonica|seme)',
  'herstel(?:zin|woorden|frase)',
  'fraz[ay] (?:odzyskiwania|zabezpieczając\\p{L}+|seed)',
  'kurtarma (?:ifadesi|kelimeleri|cümlesi)',
  '(?:cụm từ|mã) khôi phục',
  'frasa (?:pemulihan|rahasia)',
  '(?:obnovovací|seed|záložní) (?:fráze|slova)',
  '(?:сид|seed)[ -]?фраз\\p{L}|(?:секретн|мнемоническ)\\p{L}+ фраз\\p{L}|фраз\\p{L} (?:для )?(?:восстановлени|відновленн)\\p{L}',
  'φράση (?:ανάκτησης|αποκατάστασης)',
  'عبارة (?:الاسترداد|الاستعادة)|عبارت بازیابی',
  '(?:복구|시드|비밀) ?(?:문구|구문)|니모닉',
  '(?:リカバリー|シード|ニーモニック|復元|秘密の) ?フレーズ',
  '助记词|助記詞|(?:恢复|恢復|种子|種子)(?:短语|短語|词)',
]

export const PHRASE_LABEL: () => RegExp = lazyPattern(() => LABELS.join('|'), 'giu')

/** What each of those labels has, in lower case: most texts have none, which is found without an expression. */
const LABEL_PARTS =
  'phrase|words|seed|wörter|worte|frase|herstel|fraz|kurtarma|khôi phục|frasa|fráze|slova|фраз|φράση|عبارة|عبارت|문구|구문|니모닉|フレーズ|助记词|助記詞|恢复|恢復|种子|種子'.split(
    '|',
  )

/** A quick check: false when no `PHRASE_LABEL` can be in the text. */
export function mayHaveLabel(text: string): boolean {
  const lower = text.toLowerCase()
  return LABEL_PARTS.some((part) => lower.includes(part))
}

/** The same for a text without gaps between its blocks. */
export const ANY_PHRASE_LABEL: () => RegExp = lazyPattern(
  () => LABELS.join('|').replaceAll('\\b', ''),
  'iu',
)

/** Words of a phrase, as short as those of its list. */
export const WORD = '[A-Za-z]{3,8}'
export const LEAST_WORDS = 12
/** A text of more is prose, or a list: a phrase has twenty-four at most, and some words may stand around it. */
const MOST_WORDS = 36

/** Words that no list for phrases has: a text with them is a sentence. */
export const OF_SENTENCES =
  'the|and|your|for|are|from|have|must|was|has|but|not|please|words|phrase'
const IS_OF_SENTENCES = lazyPattern(() => `^(?:${OF_SENTENCES})$`, 'i')
const ONE_WORD = lazyPattern(() => `^${WORD}$`)
const ORDINAL = /^\D{0,14}\b\d{1,2}\D{0,3}$/

/** The words of a text that has nothing else, numbers apart: none for a number alone; null for another text. */
export function phraseWordsIn(text: string): readonly string[] | null {
  if (ORDINAL.test(text)) return []
  const parts = text.split(/[\s,;|·•/_.:()–—-]+/).filter((part) => part && !/^\d{1,2}$/.test(part))
  if (parts.length > MOST_WORDS) return null
  return parts.every((part) => ONE_WORD().test(part) && !IS_OF_SENTENCES().test(part))
    ? parts
    : null
}
