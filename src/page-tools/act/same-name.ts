import { textDigest } from '../../lib/text-digest.ts'
import { lazyPattern } from '../../lib/once.ts'

const UNIT =
  's(?:ek(?:unden?)?|ec(?:ond)?s?)?|m(?:in(?:ute)?[ns]?)?|h(?:(?:ou)?rs?)?|st(?:d|unden?)'
/**
 * What only a clock shows: digits as `0:45` or `12:00:59`; an age as `3 min ago`, `vor 3 Minuten`; seconds that are left,
 * as `in 30 s`, `30 s left`. A bare `2 h` or `5m` is how long, or how much, somebody pays for.
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
/** Clocks are updated, and read, a little early or late. Seconds. */
const TOLERANCE = 3
/** Of a digest, which is journaled. More of them, as in a calendar, count as other words do. */
const MAX_CLOCKS = 20

/**
 * Whether two names are the same but for clocks that ran on, forwards or backwards, for as long as the time between
 * them. All other digits count: a price or a duration that has changed is another name.
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

/** Of a text that is too long to keep: what `isSameName` compares as it would compare the text. */
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

/** In seconds: `12:30` is read as minutes and seconds, and as hours and minutes. `unit`: of its last digit. */
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
