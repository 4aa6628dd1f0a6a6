import { textDigest } from '../../lib/text-digest.ts'
import { lazyPattern } from '../../lib/once.ts'

const UNIT =
  's(?:ek(?:unden?)?|ec(?:ond)?s?)?|m(?:in(?:ute)?[ns]?)?|h(?:(?:ou)?rs?)?|st(?:d|unden?)'
/**
 * Text that only a clock changes: digits like `0:45` or `12:00:59`; ages like `3 min ago`, `vor 3 Minuten`; seconds
 * left, like `in 30 s`, `30 s left`. A bare `2 h` or `5m` is none: it may be the duration or amount that somebody pays
 * for.
 */
const CLOCK = lazyPattern(
  () =>
    [
      String.raw`(?<!\p{Sc}\s?|[\d.,:])(\d{1,3}):(\d{2})(?::(\d{2}))?(?![\d:]|[.,]\d|\s?(?:\p{Sc}|(?:eur|euros?|usd|gbp|chf)(?!\p{L})))`,
      String.raw`(?<![\p{L}\d.,])(?:vor (\d+) ?(${UNIT})|in (\d+) ?(s(?:ek(?:unden?)?|ec(?:ond)?s?)?))(?![\p{L}\d])`,
      String.raw`(?<!\p{Sc}\s?|[\d.,])(?:(\d+) ?(${UNIT}) ago|(\d+) ?(s(?:ec(?:ond)?s?)?) (?:left|remaining))(?![\p{L}\d])`,
    ].join('|'),
  'giu',
)

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600 }
/** Clocks are updated and read a little early or late. Seconds. */
const TOLERANCE = 3
/** Clocks kept in a journaled digest. Further ones, as in a calendar, count like other words. */
const MAX_CLOCKS = 20

/**
 * Whether two names differ only in clocks that ran on, forwards or backwards, for the elapsed time. All other digits
 * count: a changed price or duration makes another name.
 */
export function isSameName(before: string, now: string, elapsedMs: number): boolean {
  if (before === now) return true
  const [first, second] = [[...before.matchAll(CLOCK())], [...now.matchAll(CLOCK())]]
  if (first.length === 0 || withoutClocks(before) !== withoutClocks(now)) return false
  return first.every((match, index) => {
    const other = second[index]
    return other !== undefined && isSameClock(match, other, elapsedMs / 1000)
  })
}

/** Digest of a text that is too long to keep. `isSameName` compares digests as it would compare the texts. */
export function nameDigest(text: string): string {
  const clocks: string[] = []
  const rest = text.replace(CLOCK(), (clock) => {
    if (clocks.length >= MAX_CLOCKS) return clock
    clocks.push(clock)
    return '\0'
  })
  return [textDigest(rest), ...clocks].join(' / ')
}

function withoutClocks(text: string): string {
  return text.replace(CLOCK(), '\0')
}

function isSameClock(before: RegExpExecArray, now: RegExpExecArray, elapsed: number): boolean {
  if (before[0] === now[0]) return true
  return readings(before).some(({ at, unit }, index) => {
    const then = readings(now)[index]
    return then?.unit === unit && Math.abs(Math.abs(then.at - at) - elapsed) <= unit + TOLERANCE
  })
}

/**
 * Readings of a clock in seconds. `12:30` has two: minutes and seconds, or hours and minutes. `unit`: seconds per step
 * of its last digit.
 */
function readings([, high, middle, low, ...counted]: RegExpExecArray): readonly {
  readonly at: number
  readonly unit: number
}[] {
  const [count, sign] = counted.filter((part) => part !== undefined)
  if (count !== undefined && sign !== undefined) {
    const unit = UNIT_SECONDS[/^st/i.test(sign) ? 'h' : sign.charAt(0).toLowerCase()] ?? 1
    return [{ at: Number(count) * unit, unit }]
  }
  const [first, second] = [Number(high), Number(middle)]
  if (low !== undefined) return [{ at: first * 3600 + second * 60 + Number(low), unit: 1 }]
  return [
    { at: first * 60 + second, unit: 1 },
    { at: first * 3600 + second * 60, unit: 60 },
  ]
}
