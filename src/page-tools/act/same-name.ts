/** Digits that a clock shows, `0:45` or `12:00:59`, and `45 s`, `2 minutes`. */
const CLOCK =
  /(?<!\d)(\d{1,3}):(\d{2})(?::(\d{2}))?(?![\d:])|(?<![\d.,])(\d+) ?([smh])(?:ec|in|our|inute|econd)?s?(?![\p{L}\p{N}])/giu

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }
/** Clocks are updated, and read, a little early or late. Seconds. */
const TOLERANCE = 3

/**
 * Whether two names are the same but for clocks that ran on, forwards or backwards, for as long as the time between
 * them. All other digits count: a price that has changed is another name.
 */
export function isSameName(before: string, now: string, elapsedMs: number): boolean {
  if (before === now) return true
  const [first, second] = [[...before.matchAll(CLOCK)], [...now.matchAll(CLOCK)]]
  if (first.length === 0 || withoutClocks(before) !== withoutClocks(now)) return false
  return first.every((match, index) => {
    const other = second[index]
    return other !== undefined && isSameClock(match, other, elapsedMs / 1000)
  })
}

/** For comparisons over any time. */
export function withoutClocks(text: string): string {
  return text.replace(CLOCK, '\0')
}

function isSameClock(before: RegExpExecArray, now: RegExpExecArray, elapsed: number): boolean {
  if (before[0] === now[0]) return true
  return readings(before).some(({ at, unit }, index) => {
    const then = readings(now)[index]
    return then?.unit === unit && Math.abs(Math.abs(then.at - at) - elapsed) <= unit + TOLERANCE
  })
}

/** In seconds: `12:30` is read as minutes and seconds, and as hours and minutes. `unit`: of its last digit. */
function readings([, high, middle, low, count, sign]: RegExpExecArray): readonly {
  readonly at: number
  readonly unit: number
}[] {
  if (count !== undefined && sign !== undefined) {
    const unit = UNIT_SECONDS[sign.toLowerCase()] ?? 1
    return [{ at: Number(count) * unit, unit }]
  }
  const [first, second] = [Number(high), Number(middle)]
  if (low !== undefined) return [{ at: first * 3600 + second * 60 + Number(low), unit: 1 }]
  return [
    { at: first * 60 + second, unit: 1 },
    { at: first * 3600 + second * 60, unit: 60 },
  ]
}
