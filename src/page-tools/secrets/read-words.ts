import { foldLetters, foldWords, LETTERS } from '../../lib/fold-words.ts'
import { findSecretWord } from '../../lib/secret-words.ts'
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

/** What else is called a code, a PIN or a number of this kind: a postal code is a PIN in India. */
const HARMLESS_CODES =
  'postal|post ?code|postcode|\\bzip\\b|pin ?code.{0,20}(area|city)|postleitzahl|\\bplz\\b|郵便|邮编|郵遞|우편|codigo postal|\\bcp\\b|code postal|\\bcep\\b|индекс|поштовии|\\bcap\\b|pocztowy|posta kodu|پستی|ma buu|kode pos|\\bpsc\\b|بریدی|ταχυδρομικ|מיקוד|promo|coupon|cupon|cupom|voucher|gift|discount|gutschein|rabatt|クーポン|купон|korting|rabatowy|indirim|优惠|優惠|تخفیف|خصم|giam gia|diskon|slev|할인|쿠폰|знижк|εκπτωσ|קופון|referral|invit|country|area|dial|colou?r|product|item|bar ?code|qr|error|status|currency|language|tax ?code|source|airport|booking|confirmation|tracking|course|class|postnummer|postnr'

/** What is called a code, as one for a single use is where the form of its field says so. */
const CODE_WORDS: string = `\\bcodes?\\b|codigo|codice|code\\b|コード|(?<![${LETTERS}])код|\\bkod|\\bkode|验证|驗證|代码|\\bma\\b|\\bcod\\b|رمز|کد|코드|번호|κωδικ|קוד|\\bkoodi|\\bkoden?\\b|รหัส|\\btan\\b`

/** Until when a card is valid; other things have such a date, too, but in fields for dates. */
const EXPIRY_WORDS =
  'expir(y|ation) ?date|(valid|good) (thru|until)|fecha de (caducidad|vencimiento|expiracion)|gultig bis|ablaufdatum|有効期限|date d.expiration|data de (validade|vencimento)|срок деиствия|scadenza (della )?carta|data waznosci|son kullanma|有效期|تاریخ انقضا|ngay het han|masa berlaku|platnost do|تاريخ الانتهاء|유효 ?기간|термін дії|ημερομηνια ληξης'

/** The same, of much else: only beside a card's number. */
const DUE_WORDS = '\\bscadenza\\b|vervaldatum'
