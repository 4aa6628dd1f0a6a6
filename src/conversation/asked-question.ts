import type { FieldsSchema } from '../protocol/fields.ts'
import type { RowOf } from '../protocol/fact.ts'
import type { Question } from '../protocol/run.ts'

/** What a call asks, as it is shown. */
export function askedQuestion({ question, options, fields }: RowOf<'question-asked'>): Question {
  const sensitive = fields ? sensitiveOf(fields) : []
  return {
    question,
    ...(options && { options }),
    ...(fields && { fields }),
    ...(sensitive.length > 0 && { sensitive }),
  }
}

/** Words for what nobody should tell a model. They are looked for in names, titles and descriptions. */
const SECRET =
  /pass ?(?:words?|wd|phrase|code|key|wort)|\bpwd\b|secret|\bpin\b|\bcv[vc]2?\b|\botp\b|\btokens?\b|api ?key|private ?key|(?:credit|debit|bank) ?card|card ?number|security ?(?:code|number)|one time code|(?:verification|2fa|mfa) ?code|\bssn\b|(?:seed|recovery) ?phrase|kennwort|contraseñ|mot de passe|senha|wachtwoord|парол|密码|密碼|パスワード|비밀번호/iu

function sensitiveOf({ properties }: FieldsSchema): string[] {
  return Object.entries(properties).flatMap(([name, { title = '', description = '' }]) =>
    SECRET.test(asWords(`${name} ${title} ${description}`)) ? [name] : [],
  )
}

/** `cardNumber` and `card_number` as the words that they are made of. */
function asWords(text: string): string {
  return text.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[_.-]+/gu, ' ')
}
