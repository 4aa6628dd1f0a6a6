import { cleanText, quote, shorten } from '../clean-text.ts'
import type { PageOptions } from '../options.ts'
import { isInExcluded } from '../outline/region.ts'
import { isMasked, MASKED } from '../privacy.ts'

/** Options of a closed list that its line shows. */
const OPTION_LIMIT = 12

/** Label of an option in a native list. Null if it may not be read. */
function optionText(option: HTMLOptionElement, options: PageOptions): string | null {
  if (isInExcluded(option, options)) return null
  return isMasked(option, options) ? MASKED : cleanText(option.label)
}

export function optionTexts(
  list: Iterable<HTMLOptionElement>,
  options: PageOptions,
): readonly string[] {
  return [...list].flatMap((option) => optionText(option, options) ?? [])
}

/** The choices of a native select, in one line. `limit`: characters. */
export function optionsLine(
  select: HTMLSelectElement,
  {
    masked,
    limit,
    options,
  }: { readonly masked: boolean; readonly limit: number; readonly options: PageOptions },
): string {
  if (masked) return `/options: ${MASKED}`
  const labels: string[] = []
  let left = limit
  const told = [...select.options].filter((option) => !isInExcluded(option, options))
  for (const option of told.slice(0, OPTION_LIMIT)) {
    const text = shorten(optionText(option, options) ?? '', 100)
    const name = quote(text) + (option.disabled ? ' [disabled]' : '')
    left -= name.length
    if (left < 0) break
    labels.push(name)
  }
  const rest = told.length - labels.length
  if (rest > 0) labels.push(`… ${rest} more`)
  return `/options: ${labels.join(', ')}`
}
