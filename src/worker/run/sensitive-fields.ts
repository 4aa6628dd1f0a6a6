import { foldLetters, foldWords } from '../../lib/fold-words.ts'
import { withoutInvisible } from '../../lib/invisible.ts'
import { withLatinLetters } from '../../lib/look-alikes.ts'
import type { FieldsSchema } from '../../protocol/fields.ts'

/** Words for what nobody should tell a model. They are looked for in names, titles and descriptions. */
const SECRET = new RegExp(
  foldLetters(
    'pass ?(?:word|wd|phrase|code|key|wort)|\\b(?:pwd|pin|cv[vc]2?|otp|ssn|secrets?|tokens?)\\b|(?:api|private) ?key|(?:credit|debit|bank) ?card|(?:card|security) ?(?:number|code)|(?:one time|verification|2fa|mfa) code|(?:seed|recovery) ?phrase|kennwort|contraseñ|mot de passe|senha|wachtwoord|парол|密[码碼]|パスワード|비밀번호',
  ),
  'u',
)

/** Letters with gaps between them: "P a s s w o r d". */
const SPACED = /(?<!\p{L})\p{L}(?: \p{L}){2,}(?!\p{L})/gu

/** Names of the fields whose words are those for a secret, as a person reads them. Pure. */
export function sensitiveFields({ properties }: FieldsSchema): string[] {
  return Object.keys(properties).filter((name) => {
    const { title = '', description = '' } = properties[name] ?? {}
    return [name, title, description].some(isSecret)
  })
}

function isSecret(words: string): boolean {
  const visible = withoutInvisible(words)
  return [visible, withLatinLetters(visible)].some((text) => {
    const folded = foldWords(text)
    const joined = folded.replace(SPACED, (letters) => letters.replaceAll(' ', ''))
    return SECRET.test(folded) || SECRET.test(joined)
  })
}
