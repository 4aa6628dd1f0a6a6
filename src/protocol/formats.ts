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
      return isDateTime(text)
    default:
      return format satisfies never
  }
}

/** RFC 5321's mailbox without quoted names and address literals; letters beyond ASCII as RFC 6531 has them. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  const labels = text.slice(at + 1).split('.')
  return (
    at > 0 &&
    at <= 64 &&
    text.length <= 254 &&
    /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u.test(local) &&
    !/^\.|\.$|\.\./.test(local) &&
    labels.every((label) => /^[\p{L}\p{M}\p{N}-]{1,63}$/u.test(label) && !/^-|-$/.test(label))
  )
}

/** RFC 3986 with a scheme; as people copy them, letters beyond ASCII may stand unescaped. */
function isUri(text: string): boolean {
  if (!/^[a-z][a-z\d+.-]*:[^\s<>"\\^`{|}\p{Cc}]+$/iu.test(text)) return false
  if (/%(?![\da-f]{2})/i.test(text)) return false
  try {
    return new URL(text).href !== ''
  } catch {
    return false
  }
}

/** RFC 3339's full-date. */
function isDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? []
  return day >= 1 && month >= 1 && month <= 12 && day <= daysOf(year, month)
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** RFC 3339's date-time: with seconds and an offset. A leap second ends a day of UTC. */
function isDateTime(text: string): boolean {
  const parts = /^([\d-]{10})t(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text)
  if (!parts || !isDate(parts[1] ?? '')) return false
  const [hour = 0, minute = 0, second = 0] = parts.slice(2, 5).map(Number)
  const [offHour = 0, offMinute = 0] = parts.slice(6).map((part) => Number(part ?? 0))
  if (hour > 23 || minute > 59 || offHour > 23 || offMinute > 59) return false
  const offset = (parts[5] === '-' ? -1 : 1) * (offHour * 60 + offMinute)
  const inUtc = (hour * 60 + minute - offset + 2880) % 1440
  return second < 60 || (second === 60 && inUtc === 1439)
}
