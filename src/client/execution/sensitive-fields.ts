import { normalizeWords, withLatinLetters } from '../../lib/normalize-words.ts'
import { withoutInvisible } from '../../lib/invisible.ts'
import { findSecretWord } from '../../lib/secret-words.ts'
import type { FieldsSchema } from '../../protocol/fields.ts'

/** Words that mean a secret in a question by a model or server, but may mean something else on a page. */
const ALSO_SECRET =
  /\b(?:pin|otp|secrets?|tokens?)\b|pass ?key|(?:credit|debit|bank) ?card|card ?code|(?:one time|verification|2fa|mfa) code/

/** Letters with gaps between them: "P a s s w o r d". */
const SPACED = /(?<!\p{L})\p{L}(?: \p{L}){2,}(?!\p{L})/gu

/** Returns the names of fields that ask for a secret, judged by the words a person sees. Pure. */
export function sensitiveFields({ properties }: FieldsSchema): string[] {
  return Object.keys(properties).filter((name) => {
    const { title = '', description = '' } = properties[name] ?? {}
    return [name, title, description].some(isSecret)
  })
}

function isSecret(words: string): boolean {
  const visible = withoutInvisible(words)
  return [visible, withLatinLetters(visible)].some((text) => {
    const folded = normalizeWords(text)
    const joined = folded.replace(SPACED, (letters) => letters.replaceAll(' ', ''))
    return [folded, joined].some(
      (variant) => findSecretWord(variant) !== null || ALSO_SECRET.test(variant),
    )
  })
}
