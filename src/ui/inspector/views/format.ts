import { visibleText } from '../../../conversation/index.ts'

/** Formats a duration for a column; empty for none. */
export function duration(ms: number): string {
  if (ms <= 0) return ''
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

/** Formats the time of day, to the millisecond. */
export function timeOfDay(at: number): string {
  const date = new Date(at)
  const twoDigits = (value: number): string => String(value).padStart(2, '0')
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}:${twoDigits(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/**
 * Returns text of a model, tool or file, with invisible and direction-changing characters made visible. Keeps line
 * breaks. Accepts any value, because a file may have another type where text is expected.
 */
export function toVisibleText(text: unknown): string {
  return visibleText(String(text)).replaceAll('⏎\n', '\n')
}
