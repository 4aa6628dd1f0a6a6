import { showAction } from '../highlight.ts'
import { cleanText, quote, quoteSent, shorten } from '../../clean-text.ts'
import * as native from '../../native.ts'
import { livePage, type LivePage, scrubber } from '../../outline/live-page.ts'
import { requireAllowed } from '../../outline/region.ts'
import { type ActOptions, PageError } from '../../page.ts'
import { isField, isMasked } from '../../secrets/secret-fields.ts'
import {
  findCaret,
  maskedParts,
  getLongText,
  patternOf,
  getTextPositions,
  readSelection,
} from '../../read/long-text.ts'
import { describeElement, resolveTarget, type Target } from '../target.ts'
import { editableIn, editContextOf, isPlainTextField } from '../field-kind.ts'
import { makeReady, scrollIntoView } from '../make-ready.ts'
import { type ActionReport, perform } from '../perform.ts'
import { viewOf } from '../../dom.ts'
import { caretToEnd, selectAll, selectField, textEdge, sendKey } from './keyboard.ts'
import { keyOf } from './key.ts'

/** A range of characters, as `read_page` counts them. */
export interface CharacterRange {
  readonly from: number
  readonly to: number
}

/** Place in a field to type at. `selection`: in place of the selection, or at the caret. */
export type TypingPlace = 'all' | 'end' | 'selection' | CharacterRange

/** Selects the text to replace. */
export function selectPlace(field: HTMLElement, place: TypingPlace, live: LivePage): void {
  const editContext = editContextOf(field)
  if (editContext) return selectByKeys(field, editContext, { place, live })
  switch (place) {
    case 'selection':
      return
    case 'end':
      return caretToEnd(field)
    case 'all':
      return isPlainTextField(field) ? selectField(field) : selectAll(field)
    default:
      return selectRange(field, place, live)
  }
}

/** Selects with keys, the only way in an editor that draws its own selection. */
function selectByKeys(
  field: HTMLElement,
  editContext: NonNullable<ReturnType<typeof editContextOf>>,
  { place, live }: { readonly place: TypingPlace; readonly live: LivePage },
): void {
  if (place === 'selection') return
  if (place !== 'all' && place !== 'end')
    throw new PageError(
      'unsupported',
      `Of ${describeElement(field, live)}, characters can only be selected by keys: press_key Control+Home, Shift+ArrowRight …`,
    )
  const isMac = /mac/i.test(viewOf(field).navigator.platform)
  const end = isMac ? 'ArrowDown' : 'End'
  const key = { ...keyOf(place === 'all' ? 'a' : end), ctrlKey: !isMac, metaKey: isMac }
  const isPrevented = !sendKey(field, 'keydown', key)
  sendKey(field, 'keyup', key)
  const { length } = editContext.text
  if (!isPrevented) editContext.updateSelection(place === 'all' ? 0 : length, length)
}

/** Throws `invalid-input` for characters outside of the text, `unsupported` if no part of it can be selected. */
function selectRange(element: HTMLElement, range: CharacterRange, live: LivePage): void {
  const { from, to } = range
  const { length } = getLongText(element, live.options)
  const name = describeElement(element, live)
  if (from > to || to > length)
    throw new PageError(
      'invalid-input',
      `${name} holds ${length} characters: there are none from ${from} to ${to}.`,
    )
  requireUncut(element, range, live)
  if (isPlainTextField(element)) {
    if (element.selectionStart === null)
      throw new PageError('unsupported', `${name} can only be selected as a whole.`)
    return element.setSelectionRange(from, to)
  }
  const places = getTextPositions(element, live.options)
  const start = findCaret(places, from) ?? textEdge(element, 'start')
  const end = from === to ? start : (findCaret(places, to) ?? textEdge(element, 'end'))
  viewOf(element).getSelection()?.setBaseAndExtent(start.node, start.offset, end.node, end.offset)
}

/**
 * Throws if the range cuts through a secret: half of a secret, or a secret with other text inside, would no longer be
 * recognized.
 */
function requireUncut(element: HTMLElement, range: CharacterRange, live: LivePage): void {
  if (isMasked(element, live.options)) return
  const text = getLongText(element, live.options)
  const parts = maskedParts(element, text, { ...range, clean: scrubber(live) })
  if (parts.every((part) => range.from <= part.from && part.to <= range.to)) return
  throw new PageError(
    'unsupported',
    `Characters ${range.from} to ${range.to} of ${describeElement(element, live)} begin or end within what is masked: take all of that or none.`,
  )
}

/** Selected characters of a plain field. Null for other elements, and for fields that don't expose their caret. */
export function selectedRange(field: Element): CharacterRange | null {
  if (!isPlainTextField(field)) return null
  const { selectionStart: from, selectionEnd: to } = field
  return from === null || to === null ? null : { from, to }
}

/** Whether typing would replace something. */
export function hasSelection(field: HTMLElement): boolean {
  const range = selectedRange(field)
  if (range) return range.from !== range.to
  const selection = viewOf(field).getSelection()
  return (
    selection !== null &&
    !selection.isCollapsed &&
    selection.anchorNode !== null &&
    native.contains(field, selection.anchorNode)
  )
}

/** Options of `selectText`: a passage, or positions of characters, counted from 0. */
export interface SelectTextOptions extends ActOptions {
  /** Passage to select. Default: the characters `from` to `to`. */
  readonly text?: string
  /** First character. A passage is searched from here. */
  readonly from?: number
  /** Position after the last character. Default: the end. */
  readonly to?: number
}

const MAX_SHOWN_LENGTH = 100
const MAX_POSITIONS = 8

export async function selectText(
  target: Target,
  options: SelectTextOptions = {},
): Promise<ActionReport> {
  const live = livePage(options.page)
  const element = await resolveTarget(target, options)
  return perform(options, async (context) => {
    const field = editableIn(element) ?? element
    requireAllowed(field, live.options)
    if (isMasked(field, live.options))
      throw new PageError('unsupported', `${describeElement(field, live)} is masked.`)
    if (isField(field)) await makeReady(field, { ...context, byKeys: true })
    else scrollIntoView(field)
    await showAction(live, field)
    const range = resolveRange(field, options, live)
    if (isField(field)) native.focus(field, { preventScroll: true })
    selectRange(field, range, live)
    return {
      summary: () => {
        const name = describeElement(field, live)
        const selected = readSelection(options)
        if (!selected && range.from < range.to)
          throw new PageError('unsupported', `The page did not keep the selection in ${name}.`)
        const shown = quote(shorten(cleanText(selected), MAX_SHOWN_LENGTH))
        return `Selected ${shown} in ${name}, characters ${range.from} to ${range.to}.`
      },
      element: field,
      focused: field,
      expectsChange: false,
    }
  })
}

function resolveRange(
  element: HTMLElement,
  { text, from: requestedFrom, to }: SelectTextOptions,
  live: LivePage,
): CharacterRange {
  const from = requestedFrom ?? 0
  const content = getLongText(element, live.options)
  if (text === undefined) return { from, to: to ?? content.length }
  const clean = scrubber(live)
  const found = [...content.matchAll(new RegExp(patternOf(text), 'g'))]
    .map(({ index, 0: match }) => ({ from: index, to: index + match.length }))
    .filter((range) => range.from >= from && range.to <= (to ?? content.length))
    // A match must not reveal masked text.
    .filter(
      (range) =>
        range.to > range.from && maskedParts(element, content, { ...range, clean }).length === 0,
    )
  const [first, ...others] = found
  const name = describeElement(element, live)
  if (!first) throw new PageError('not-found', `${name} does not hold ${quoteSent(text)}.`)
  if (others.length > 0 && requestedFrom === undefined) {
    const positions = found.slice(0, MAX_POSITIONS).map((range) => range.from)
    throw new PageError(
      'ambiguous',
      `${name} holds ${quoteSent(text)} ${found.length} times, at ${positions.join(', ')}: give from.`,
    )
  }
  return first
}
