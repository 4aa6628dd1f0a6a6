import { lazyPattern } from '../../lib/once.ts'

/** Longer texts are no clock. */
const TEXT_LIMIT = 200
const CLOCK = String.raw`(?<![\d:.])\d{1,3}:\d{2}(?::\d{2})?(?![\d:])`
/** Units of countdowns, in the languages that pages use most, and how many seconds they have. */
const UNITS: ReadonlyMap<string, number> = new Map(
  (
    [
      [
        1,
        's sec secs second seconds sek sekunde sekunden segundo segundos seconde secondes secondi 秒',
      ],
      [60, 'm min mins minute minutes minuten minuto minutos minuti 分'],
      [3600, 'h hr hrs hour hours std stunde stunden hora horas heure heures ore 小时 時間'],
      [86_400, 'd day days tag tage tagen día días jour jours giorni 天 日'],
    ] as const
  ).flatMap(([seconds, names]) => names.split(' ').map((name) => [name, seconds] as const)),
)
const UNIT = [...UNITS.keys()].sort((a, b) => b.length - a.length).join('|')
const QUANTITY = String.raw`(?<![\d:.,])\d+\s?(?:${UNIT})(?![\p{L}\d])\.?`
const TIME = lazyPattern(() => String.raw`${CLOCK}|${QUANTITY}(?:[\s,]*${QUANTITY})*`, 'giu')
const PART = lazyPattern(() => String.raw`(\d+)\s?(${UNIT})`, 'giu')
/** How far a clock may be from the time that has passed: it was read between two ticks. Seconds. */
const TOLERANCE = 2
/** What a clock has when it starts again. Seconds. */
const HALF_DAY = 43_200

/**
 * Whether a text with a clock or a countdown in it shows, after the seconds that have passed, what it would without
 * any action: nothing else in it is different, and each time in it has moved as far as time has.
 */
export function isTick(before: string, after: string, elapsed: number): boolean {
  if (before.length > TEXT_LIMIT || after.length > TEXT_LIMIT) return false
  const [was, is] = [timesOf(before), timesOf(after)]
  if (is.length === 0 || was.length !== is.length) return false
  if (before.replace(TIME(), '#') !== after.replace(TIME(), '#')) return false
  return is.every((time, index) => hasMovedOn(was[index] ?? '', time, elapsed))
}

function timesOf(text: string): readonly string[] {
  return text.match(TIME()) ?? []
}

function hasMovedOn(before: string, after: string, elapsed: number): boolean {
  if (before === after) return true
  const moved = secondsOf(after) - secondsOf(before)
  const steps = after.split(':').length === 3 ? sinceWrapped(moved) : moved
  if (Math.abs(Math.abs(steps) - elapsed) <= TOLERANCE) return true
  // Hours and minutes: the time of day.
  const [, minutes, seconds] = after.split(':')
  return moved === 1 && seconds === undefined && Number(minutes) === new Date().getMinutes()
}

function sinceWrapped(moved: number): number {
  const rest = moved % HALF_DAY
  if (Math.abs(rest) <= HALF_DAY / 2) return rest
  return rest - Math.sign(rest) * HALF_DAY
}

/** Of hours and minutes, as if they were minutes and seconds. */
function secondsOf(time: string): number {
  if (time.includes(':')) return time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  let seconds = 0
  for (const [, number, unit] of time.matchAll(PART()))
    seconds += Number(number) * (UNITS.get((unit ?? '').toLowerCase()) ?? 0)
  return seconds
}
