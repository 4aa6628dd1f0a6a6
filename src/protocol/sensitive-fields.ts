import type { FieldsSchema } from './fields.ts'

/** Words for what nobody should tell a model. They are looked for in names, titles and descriptions. */
const SECRET =
  /pass ?(?:word|wd|phrase|code|key|wort)|\b(?:pwd|pin|cv[vc]2?|otp|ssn|secrets?|tokens?)\b|(?:api|private) ?key|(?:credit|debit|bank) ?card|(?:card|security) ?(?:number|code)|(?:one time|verification|2fa|mfa) code|(?:seed|recovery) ?phrase|kennwort|contraseñ|mot de passe|senha|wachtwoord|парол|密[码碼]|パスワード|비밀번호/iu

/** Names of the fields whose words are those for a secret. Pure. */
export function sensitiveFields({ properties }: FieldsSchema): string[] {
  return Object.keys(properties).filter((name) => {
    const { title, description } = properties[name] ?? {}
    // `cardNumber` and `card_number` are made of words.
    const text = [name, title, description].join(' ')
    return SECRET.test(text.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[_.-]+/gu, ' '))
  })
}
