import { LETTERS } from '../../lib/fold-words.ts'

/** What else is called a code, a PIN or a number of this kind: a postal code is a PIN in India. */
export const HARMLESS_CODES =
  'postal|post ?code|postcode|\\bzip\\b|pin ?code.{0,20}(area|city)|postleitzahl|\\bplz\\b|郵便|邮编|郵遞|우편|codigo postal|\\bcp\\b|code postal|\\bcep\\b|индекс|поштовии|\\bcap\\b|pocztowy|posta kodu|پستی|ma buu|kode pos|\\bpsc\\b|بریدی|ταχυδρομικ|מיקוד|promo|coupon|cupon|cupom|voucher|gift|discount|gutschein|rabatt|クーポン|купон|korting|rabatowy|indirim|优惠|優惠|تخفیف|خصم|giam gia|diskon|slev|할인|쿠폰|знижк|εκπτωσ|קופון|referral|invit|country|area|dial|colou?r|product|item|bar ?code|qr|error|status|currency|language|tax ?code|source|airport|booking|confirmation|tracking|course|class|postnummer|postnr'

/** What is called a code, as one for a single use is where the form of its field says so. */
export const CODE_WORDS: string = `\\bcodes?\\b|codigo|codice|code\\b|コード|(?<![${LETTERS}])код|\\bkod|\\bkode|验证|驗證|代码|\\bma\\b|\\bcod\\b|رمز|کد|코드|번호|κωδικ|קוד|\\bkoodi|\\bkoden?\\b|รหัส|\\btan\\b`

/** Until when a card is valid; other things have such a date, too, but in fields for dates. */
export const EXPIRY_WORDS =
  'expir(y|ation) ?date|(valid|good) (thru|until)|fecha de (caducidad|vencimiento|expiracion)|gultig bis|ablaufdatum|有効期限|date d.expiration|data de (validade|vencimento)|срок деиствия|scadenza (della )?carta|data waznosci|son kullanma|有效期|تاریخ انقضا|ngay het han|masa berlaku|platnost do|تاريخ الانتهاء|유효 ?기간|термін дії|ημερομηνια ληξης'

/** The same, of much else: only beside a card's number. */
export const DUE_WORDS = '\\bscadenza\\b|vervaldatum'
