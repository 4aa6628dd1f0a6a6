import { normalize } from '../clean-text.ts'

/** The number that a list showed at a scroll position. */
export interface ScrollSample {
  readonly top: number
  readonly number: number
}

/** The number that the list shows now, in items that differ from the wanted one by their number only. */
export function sampleScroll(
  wanted: string,
  { scrollTop, textContent }: Pick<Element, 'scrollTop' | 'textContent'>,
): ScrollSample | null {
  const pattern = numberPattern(wanted)
  if (!pattern) return null
  const numbers = [...normalize(textContent).matchAll(pattern)].map(([, digits]) => Number(digits))
  const number = numbers[Math.floor(numbers.length / 2)]
  return number === undefined ? null : { top: scrollTop, number }
}

/** The scroll position of the wanted number, if the numbers continue evenly. */
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

/** A pattern for the wanted text with any number; null for texts with no number or several. */
function numberPattern(wanted: string): RegExp | null {
  const parts = normalize(wanted).split(/\d+/)
  if (parts.length !== 2) return null
  const [before = '', after = ''] = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`${before}(\\d+)${after}`, 'g')
}

/** Whether a text is in another one: "Row 7" isn't in "Row 70", and "70" not in "170". Both normalised. */
export function containsText(shown: string, text: string): boolean {
  const [first, last] = [/^\d/.test(text), /\d$/.test(text)]
  for (let at = shown.indexOf(text); at >= 0; at = shown.indexOf(text, at + 1)) {
    const isCut =
      (first && /\d/.test(shown[at - 1] ?? '')) ||
      (last && /\d/.test(shown[at + text.length] ?? ''))
    if (!isCut) return true
  }
  return false
}
