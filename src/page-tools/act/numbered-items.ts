import { normalize } from '../clean-text.ts'

/** Where a scrolled list showed which number. */
export interface ScrollSample {
  readonly top: number
  readonly number: number
}

/** Which number the list shows now, in items that look like the wanted one but for their number. */
export function sampleScroll(
  wanted: string,
  { scrollTop, textContent }: Element,
): ScrollSample | null {
  const pattern = numberPattern(wanted)
  if (!pattern) return null
  const numbers = [...normalize(textContent).matchAll(pattern)].map(([, digits]) => Number(digits))
  const number = numbers[Math.floor(numbers.length / 2)]
  return number === undefined ? null : { top: scrollTop, number }
}

/** Where the wanted number would be, if the numbers go on as they did. */
export function estimateScrollTop(
  wanted: string,
  before: ScrollSample,
  now: ScrollSample,
): number | null {
  const number = Number(/\d+/.exec(wanted)?.[0] ?? Number.NaN)
  const perItem = (now.top - before.top) / (now.number - before.number)
  const top = now.top + (number - now.number) * perItem
  return Number.isFinite(top) && Math.abs(top - now.top) > 1 ? top : null
}

/** Null for texts with no number or several. */
function numberPattern(wanted: string): RegExp | null {
  const parts = normalize(wanted).split(/\d+/)
  if (parts.length !== 2) return null
  const [before = '', after = ''] = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`${before}(\\d+)${after}`, 'g')
}
