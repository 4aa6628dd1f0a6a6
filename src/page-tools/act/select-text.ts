import { quoteSent } from '../as-sent.ts'
import { cleanText, quote, shorten } from '../clean-text.ts'
import * as native from '../native.ts'
import { livePage, type LivePage, scrubber } from '../outline/live-page.ts'
import { requireAllowed } from '../outline/region.ts'
import type { ActOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { isField, isMasked } from '../privacy.ts'
import { hasMasked, patternOf } from '../read/long-text.ts'
import { readSelection } from '../read/selection.ts'
import { longTextOf } from '../read/text-places.ts'
import { describeElement } from './describe.ts'
import { editableIn } from './field-kind.ts'
import { makeReady, scrollIntoView } from './make-ready.ts'
import { perform, type ActionReport } from './perform.ts'
import { resolveTarget, type Target } from './target.ts'
import { type CharacterRange, selectRange } from './typing-place.ts'

export interface SelectTextOptions extends ActOptions {
  /** Passage to select. Default: the characters `from` to `to`. */
  readonly text?: string
  /** First character. For a passage, the first match at or after it. */
  readonly from?: number
  /** Up to this character. Default: the end. */
  readonly to?: number
}

const SHOWN = 100
const PLACES = 8

/**
 * Selects a part of a text, in a field, an editor or on the page. Without a passage or characters, selects all of it.
 */
export async function selectText(
  target: Target,
  options: SelectTextOptions = {},
): Promise<ActionReport> {
  const { page, signal } = options
  const live = livePage(page)
  const element = await resolveTarget(target, { page, live, signal })
  return perform(options, async ({ show }) => {
    const part = editableIn(element) ?? element
    requireAllowed(part, live.options)
    if (isMasked(part, live.options))
      throw new PageError('unsupported', `${describeElement(part, live)} is masked.`)
    if (isField(part)) await makeReady(part, { live, signal, byKeys: true })
    else scrollIntoView(part)
    await show(part)
    const range = rangeIn(part, options, live)
    if (isField(part)) native.focus(part, { preventScroll: true })
    selectRange(part, range, live)
    return {
      summary: () => {
        const name = describeElement(part, live)
        const selected = readSelection(options)
        if (!selected && range.from < range.to)
          throw new PageError('unsupported', `The page did not keep the selection in ${name}.`)
        const shown = quote(shorten(cleanText(selected), SHOWN))
        return `Selected ${shown} in ${name}, characters ${range.from} to ${range.to}.`
      },
      element: part,
      focused: part,
      expectsChange: false,
    }
  })
}

function rangeIn(
  element: HTMLElement,
  { text, from: given, to }: SelectTextOptions,
  live: LivePage,
): CharacterRange {
  const from = given ?? 0
  const whole = longTextOf(element, live.options)
  if (text === undefined) return { from, to: to ?? whole.length }
  const clean = scrubber(live)
  const found = [...whole.matchAll(new RegExp(patternOf(text), 'g'))]
    .map(({ index, 0: passage }) => ({ from: index, to: index + passage.length }))
    .filter((range) => range.from >= from && range.to <= (to ?? whole.length))
    // A match must not reveal masked text.
    .filter((range) => range.to > range.from && !hasMasked(element, whole, { ...range, clean }))
  const [first, ...others] = found
  const name = describeElement(element, live)
  if (!first) throw new PageError('not-found', `${name} does not hold ${quoteSent(text)}.`)
  if (others.length > 0 && given === undefined) {
    const places = found.slice(0, PLACES).map((range) => range.from)
    throw new PageError(
      'ambiguous',
      `${name} holds ${quoteSent(text)} ${found.length} times, at ${places.join(', ')}: give from.`,
    )
  }
  return first
}
