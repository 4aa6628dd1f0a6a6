import { quoteTyped, rememberTyped } from '../as-sent.ts'
import { cleanText } from '../clean-text.ts'
import * as native from '../native.ts'
import { roleOf } from '../outline/role.ts'
import { scrubber } from '../outline/live-page.ts'
import { fieldValue } from '../outline/state.ts'
import { PageError } from '../page-error.ts'
import { isMasked } from '../privacy.ts'
import { textInRange } from '../read/long-text.ts'
import { longTextOf } from '../read/text-places.ts'
import { describeElement } from './describe.ts'
import { editContextOf } from './edit-context-of.ts'
import type { ActionContext } from './perform.ts'
import { partsOf, partsText } from './type-parts.ts'
import type { TypingPlace } from './typing-place.ts'
import { validationMessageOf } from './validation-message.ts'

/** Of a field's value in a report. */
const VALUE_LIMIT = 100

/** What was typed, and where. */
export interface Typed {
  readonly text: string
  readonly place: TypingPlace
  /** What the field held before. */
  readonly before: Held
  readonly enter: boolean
  /** Something on the page changed. */
  readonly changed: boolean
}

interface Held {
  readonly value: string
  /** As its characters are counted. */
  readonly text: string
}

export function heldBy(field: Element, { live }: ActionContext): Held {
  return {
    value: cleanText(fieldValue(field, roleOf(field) || 'textbox') ?? ''),
    text: longTextOf(field, live.options),
  }
}

/** Of a field that isn't masked: what it holds of the text is the model's own, in all that is told from now on. */
export function noteTyped(
  field: HTMLElement,
  { text, place }: Pick<Typed, 'text' | 'place'>,
  { live }: ActionContext,
): void {
  const value = fieldValue(field, roleOf(field) || 'textbox')
  if (value === null || !native.isConnected(field) || isMasked(field, live.options)) return
  rememberTyped(field, { value, typed: text, append: place === 'end' })
}

/** The field's value where it isn't the expected one, and its validation message. Throws when it took nothing. */
export function contentNote(field: HTMLElement, typed: Typed, context: ActionContext): string {
  const { text, place, before, enter, changed } = typed
  const { live } = context
  if (!native.isConnected(field)) return enter ? '' : ' The page replaced it since.'
  // What it holds, its page draws out of reach.
  if (editContextOf(field)) return " What it holds can't be read here."
  const secret = isMasked(field, live.options)
  const parts = partsOf(field)
  if (parts.length > 0 && !secret)
    return ` It now holds ${quoteTyped(partsText(parts), text, VALUE_LIMIT)}.`
  const message = secret ? null : validationMessageOf(field)
  const problem = message === null ? '' : ` The field says: ${message}`
  const value = fieldValue(field, roleOf(field) || 'textbox')
  if (value === null) return problem
  const holds = cleanText(value)
  const isLost = holds === '' && cleanText(text) !== ''
  // Of a masked field only that it is empty: whether it is what it was would tell what it holds.
  if (secret) return isLost && !enter ? ' It is empty now: the page did not keep the text.' : ''
  if (typeof place === 'object') return partNote(field, { ...typed, place }, context) + problem
  if (place === 'all' && holds === cleanText(text)) return problem
  if (isLost) {
    if (before.value === '' && !enter && !changed) throw notKept(field, 'it is empty', context)
    return ` It is empty now.${problem}`
  }
  const stays = holds === before.value ? ', as before' : ''
  return ` It now holds ${quoteTyped(holds, text, VALUE_LIMIT)}${stays}.${problem}`
}

/** The same of a part of a longer text. */
function partNote(
  field: HTMLElement,
  { text, place, before, enter, changed }: Typed & { readonly place: Exclude<TypingPlace, string> },
  context: ActionContext,
): string {
  const { from, to } = place
  const expected = before.text.slice(0, from) + text + before.text.slice(to)
  const now = longTextOf(field, context.live.options)
  const isSame = (one: string, other: string): boolean => plain(one) === plain(other)
  if (isSame(now, expected)) return ` It now holds ${now.length} characters.`
  if (isSame(now, before.text)) {
    if (!enter && !changed) throw notKept(field, 'it holds what it held before', context)
    return ' It now holds what it held before.'
  }
  const around = textInRange(field, now, {
    from: Math.max(0, from - 20),
    to: from + text.length + 20,
    clean: scrubber(context.live),
  })
  return ` It now holds ${now.length} characters, there ${quoteTyped(cleanText(around), text, VALUE_LIMIT)}.`
}

/** Editors keep a space as one that doesn't break. */
function plain(text: string): string {
  return text.replaceAll('\u00A0', ' ')
}

function notKept(field: HTMLElement, why: string, { live }: ActionContext): PageError {
  const name = describeElement(field, live)
  return new PageError('refused-value', `${name} did not keep the text: ${why}.`)
}
