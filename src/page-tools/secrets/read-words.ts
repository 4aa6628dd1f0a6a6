import { foldLetters, foldWords, LETTERS } from '../../lib/fold-words.ts'
import { findSecretWord } from '../../lib/secret-words.ts'
import { lazyPattern } from '../../lib/once.ts'

/** Meaning of a field's words: secret, or a code or a card's date if its form or place agrees. Null: nothing. */
export type WordSense = 'secret' | 'code' | 'expiry' | 'due' | null

const known = new Map<string, WordSense>()
const MAX_KNOWN = 1000

/** "Enter the 6-digit code". */
const countedCode =
  /\b[4-8][ -]?(?:digit|stellig|cifre|digitos|chiffres|cijfer|cyfr)|[4-8] ?(?:桁|位|자리|значн|haneli|chu so|رقم)/u
/** Folds the tables like the words. Accents in them are for readers only. */
const harmless = lazyPattern(() => foldLetters(HARMLESS_CODES))
const code = lazyPattern(() => foldLetters(CODE_WORDS))
const expiry = lazyPattern(() => foldLetters(EXPIRY_WORDS))
const due = lazyPattern(() => foldLetters(DUE_WORDS))

/** A harmless code, such as a postal code, makes the field harmless, unless other words are clearly secret. */
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
  // Beside an address, a PIN code is a postal code.
  if (found && !(found.startsWith('pin') && harmless().test(text))) return 'secret'
  if (harmless().test(text)) return null
  if (countedCode.test(text)) return 'secret'
  if (expiry().test(text)) return 'expiry'
  if (due().test(text)) return 'due'
  return code().test(text) ? 'code' : null
}

/** Harmless things that are called a code, a PIN or a number, too: a postal code is a PIN in India. */
const HARMLESS_CODES =
  'postal|post ?code|postcode|\\bzip\\b|pin ?code.{0,20}(area|city)|postleitzahl|\\bplz\\b|郵便|邮编|郵遞|우편|codigo postal|\\bcp\\b|code postal|\\bcep\\b|индекс|поштовии|\\bcap\\b|pocztowy|posta kodu|پستی|ma buu|kode pos|\\bpsc\\b|بریدی|ταχυδρομικ|מיקוד|promo|coupon|cupon|cupom|voucher|gift|discount|gutschein|rabatt|クーポン|купон|korting|rabatowy|indirim|优惠|優惠|تخفیف|خصم|giam gia|diskon|slev|할인|쿠폰|знижк|εκπτωσ|קופון|referral|invit|country|area|dial|colou?r|product|item|bar ?code|qr|error|status|currency|language|tax ?code|source|airport|booking|confirmation|tracking|course|class|postnummer|postnr'

/** Words for a code. The field is secret if it has the form of a one-time code. */
const CODE_WORDS: string = `\\bcodes?\\b|codigo|codice|code\\b|コード|(?<![${LETTERS}])код|\\bkod|\\bkode|验证|驗證|代码|\\bma\\b|\\bcod\\b|رمز|کد|코드|번호|κωδικ|קוד|\\bkoodi|\\bkoden?\\b|รหัส|\\btan\\b`

/** Words for a card's expiry date. Other things expire, too, but have fields for dates. */
const EXPIRY_WORDS =
  'expir(y|ation) ?date|(valid|good) (thru|until)|fecha de (caducidad|vencimiento|expiracion)|gultig bis|ablaufdatum|有効期限|date d.expiration|data de (validade|vencimento)|срок деиствия|scadenza (della )?carta|data waznosci|son kullanma|有效期|تاریخ انقضا|ngay het han|masa berlaku|platnost do|تاريخ الانتهاء|유효 ?기간|термін дії|ημερομηνια ληξης'

/** Words for many kinds of dates, which count only beside a card's number. */
const DUE_WORDS = '\\bscadenza\\b|vervaldatum'
