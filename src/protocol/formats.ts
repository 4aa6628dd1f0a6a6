import type { FieldFormat } from './fields.ts'

/** Whether a text has one of JSON Schema's formats, as its validators mostly leave unchecked. */
export function hasFormat(text: string, format: FieldFormat): boolean {
  switch (format) {
    case 'email':
      return isEmail(text)
    case 'uri':
      return isUri(text)
    case 'date':
      return isDate(text)
    case 'date-time':
      return TIME.test(text.slice(10)) && isDate(text.slice(0, 10))
    default:
      return format satisfies never
  }
}

/** RFC 5321's mailbox without quoted names and address literals; letters beyond ASCII as RFC 6531 has them. */
function isEmail(text: string): boolean {
  const [local = '', domain = '', more] = text.split('@')
  return (
    more === undefined &&
    text.length <= 254 &&
    local.length <= 64 &&
    /^(?!\.)(?:\.?[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-])+$/u.test(local) &&
    domain.split('.').every((label) => /^(?!-)[\p{L}\p{M}\p{N}-]{1,63}$(?<!-)/u.test(label))
  )
}

/** RFC 3986 with a scheme; as people copy them, letters beyond ASCII may stand unescaped. */
function isUri(text: string): boolean {
  try {
    new URL(text)
  } catch {
    return false
  }
  return /^[a-z][a-z\d+.-]*:(?:%[\da-f]{2}|[^%\s<>"\\^`{|}\p{Cc}])+$/iu.test(text)
}

/** RFC 3339's full-date: a day that there is. */
function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** The rest of RFC 3339's date-time: with seconds, a leap one included, and an offset. */
const TIME =
  /^t(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i
