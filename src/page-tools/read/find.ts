import { cleanText, escapeMarks, normalize, quote, shorten } from '../clean-text.ts'
import { ancestorsOf, contains, descendantsOf, isTag, referenced, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import { livePage, type LivePage, scrubber } from '../outline/live-page.ts'
import { type ActOptions, type PageOptions, PageError } from '../page.ts'
import { isField, isMasked } from '../secrets/secret-fields.ts'
import { ensureRef } from '../refs.ts'
import { runInSlices } from '../waiting.ts'
import {
  drawnWordsOf,
  hints,
  isClickable,
  LONG_TEXT,
  nameHint,
  typedValue,
  headWithRef,
  isContainer,
  shownValue,
  standaloneNode,
  textMark,
} from './line.ts'
import { excerptOf, longTextOf } from './long-text.ts'
import { hiddenReason, seenButtons, visibilityOf } from '../outline/visibility.ts'
import { recountRules, hiddenUntilHover } from '../outline/hover/on-hover.ts'
import { getAccessibleName } from '../outline/name.ts'
import { comparableTexts, readableText, shownText } from './readable-text.ts'
import { isReadable, rootOf } from '../outline/region.ts'
import { isActionable, isNamedByContent, getShownRole } from '../outline/role.ts'
import { forgetLayers } from '../sight/layers.ts'

/** Surroundings of an element with their label, which tell equal elements apart. */
interface Place {
  readonly role: string
  /** Empty: masked. */
  readonly label: string
  /** Source of the label: an item of a list, a part with a name or a title, or the words of a part without. */
  readonly of: 'item' | 'named' | 'words'
}

const ITEMS = /^(row|listitem|article|treeitem)$/
const DIALOGS = /^(dialog|alertdialog)$/
const PARTS = /^(region|form|group|tabpanel)$/
const TITLES = 'h1,h2,h3,h4,h5,h6,[role=heading]'
const PLACE_LABEL_LIMIT = 60

/**
 * The nearest item, dialog or named part around an element, else the nearest part without a name. `limit`: most
 * characters of text to read in a part without a name.
 */
export function placeOf(element: Element, options: PageOptions, limit?: number): Place | null {
  let unnamed: Place | null = null
  for (const at of ancestorsOf(element)) {
    const role = getShownRole(at)
    const isItem = ITEMS.test(role)
    if (!isItem && !DIALOGS.test(role) && !PARTS.test(role)) continue
    if (isMasked(at, options)) return unnamed ?? { role, label: '', of: 'words' }
    const name = getAccessibleName(at, role, options).text || (isItem ? '' : titleIn(at, options))
    const label = name || readableText(at, options, limit)
    if (!label) continue
    if (isItem) return { role, label, of: 'item' }
    // The words of a dialog are its question.
    if (name || DIALOGS.test(role)) return { role, label, of: 'named' }
    unnamed ??= { role, label, of: 'words' }
  }
  return unnamed
}

/** ` (in row "Ada")`; empty for none. `clean`: removes secrets. */
export function placeNote(place: Place | null, clean: (text: string) => string): string {
  if (!place) return ''
  const { role, label } = place
  if (!label) return ` (in ${role})`
  // Scrub first, then shorten: the beginning of a secret that is cut would stay.
  return ` (in ${role} ${quote(shorten(clean(label), PLACE_LABEL_LIMIT).replace(/"/g, "'"))})`
}

function titleIn(part: Element, options: PageOptions): string {
  for (const one of descendantsOf(part))
    if (native.matches(one, TITLES))
      return isReadable(one, options) && !isMasked(one, options) ? readableText(one, options) : ''
  return ''
}

const LABEL_LIMIT = 60

interface DistinguishOptions {
  readonly options: PageOptions
  /** Removes secrets. */
  readonly clean: (text: string) => string
  /** More elements may have this name. */
  readonly mayBeMore: boolean
}

/**
 * Lines of elements of the same name, in page order. Each has what tells it from the others: the row, dialog or part
 * around it, its column, the words beside it, else its number from the top.
 */
export function distinguishElements(
  unordered: readonly Found[],
  { options, clean, mayBeMore }: DistinguishOptions,
): readonly string[] {
  const found = inOrder(unordered, rootOf(options))
  const elements = found.map(({ element }) => element)
  const kinds = [
    elements.map((one) => placeNote(placeOf(one, options), clean)),
    elements.map((one) => note(clean, partAround(one, blockOf(one, elements), options))),
    elements.map((one) => note(clean, columnOf(one, options))),
    elements.map((one) => note(clean, wordsBeside(one, blockOf(one, elements), options))),
  ]
  const count = mayBeMore ? `at least ${found.length}` : found.length
  return found.map(({ line }, index) => {
    const own = kinds.findIndex((notes) => isOnlyOne(notes, index))
    if (own === 0) return line
    const told = own > 0 ? kinds[own]?.[index] : ` (${index + 1} of ${count} from the top)`
    return `${line}${told}`
  })
}

/** Sorts elements in page order, across frames and shadow roots. */
function inOrder(found: readonly Found[], root: Element): readonly Found[] {
  const byElement = new Map(found.map((one) => [one.element, one]))
  return [root, ...descendantsOf(root)].flatMap((element) => byElement.get(element) ?? [])
}

function isOnlyOne(notes: readonly string[], index: number): boolean {
  const own = notes[index]
  return own !== '' && notes.indexOf(own ?? '') === notes.lastIndexOf(own ?? '')
}

/** The outermost element around one that holds none of the others. */
function blockOf(element: Element, all: readonly Element[]): Element {
  let block = element
  for (const at of ancestorsOf(element)) {
    if (all.some((other) => other !== element && contains(at, other))) break
    block = at
  }
  return block
}

interface Told {
  readonly how: 'in' | 'in column' | 'beside'
  readonly role?: string
  readonly label: string
}

function note(clean: (text: string) => string, told: Told | null): string {
  if (!told) return ''
  const { how, role, label } = told
  // Scrub first, then shorten: the beginning of a secret that is cut would stay.
  const words = label && quote(shorten(clean(label), LABEL_LIMIT).replace(/"/g, "'"))
  return ` (${[how, role, words].filter(Boolean).join(' ')})`
}

/** The outermost part of the page, with its name, that holds only this element: `navigation "Main"`. */
function partAround(element: Element, block: Element, options: PageOptions): Told | null {
  let told: Told | null = null
  for (const at of ancestorsOf(element)) {
    const role = getShownRole(at)
    if (isContainer(role) && !isMasked(at, options))
      told = { how: 'in', role, label: getAccessibleName(at, role, options).text }
    if (at === block) break
  }
  return told
}

function columnOf(element: Element, options: PageOptions): Told | null {
  const cell = native.closest(element, 'td,th')
  const table = cell && native.closest(cell, 'table')
  const [first] = table && isTag(table, 'table') ? table.rows : []
  const index = cell ? (cell as HTMLTableCellElement).cellIndex : -1
  const header = first?.cells[index]
  if (!header || header === cell || isMasked(header, options)) return null
  const label = readableText(header, options)
  return label ? { how: 'in column', label } : null
}

/** The title of its part, or the first words there that aren't its own. */
function wordsBeside(element: Element, block: Element, options: PageOptions): Told | null {
  if (block === element || isMasked(block, options)) return null
  const own = cleanText(readableText(element, options))
  const label =
    titleIn(block, options) || cleanText(readableText(block, options)).replace(own, '').trim()
  return /[\p{L}\p{N}]/u.test(label) ? { how: 'beside', label } : null
}

/** Criteria of `find`. Matches fit all of them. Without any, `find` rejects with `invalid-input`. */
export interface FindQuery {
  /** `button`, `link`, `textbox` … */
  readonly role?: string
  /** The accessible name, or a part of it. */
  readonly name?: string
  /** Text on the page. */
  readonly text?: string
}

/** Element that `find` has found, as a snapshot shows it. */
export interface Found {
  /** Name of the element for tools and models, such as `e12`. Actions take it as their target. */
  readonly ref: string
  readonly element: Element
  readonly role: string
  readonly name: string
  /** 1 for a perfect match. */
  readonly score: number
  /** Line that a snapshot shows, with the row or dialog around the element. */
  readonly line: string
}

/** Options of `find`: the number of results, and whether invisible elements count. */
export interface FindOptions extends ActOptions {
  /** Default 8. */
  readonly limit?: number
  /** Also elements that are on the page but not visible. Default false. */
  readonly hidden?: boolean
}

const LIMIT = 8
/** Names are computed for this many of the most likely elements. */
const CANDIDATES = 200
const SHORT_TEXT = 100
const MIN_SCORE = 0.25
/**
 * The score of an exact match with a title, a label or the visible text rather than the accessible name.
 */
export const ALIAS_SCORE = 0.98
/** Score of an exact match with a mere hint: the name of its icon, its address. */
const HINT_SCORE = 0.9

interface Candidate {
  readonly element: Element
  readonly role: string
  readonly likely: number
}

export async function find(query: FindQuery, options: FindOptions = {}): Promise<Found[]> {
  const live = livePage(options.page)
  const { role, name, text } = query
  if (!role?.trim() && !name?.trim() && !text?.trim())
    throw new PageError('invalid-input', 'Give a role, a name or a text to look for.')
  recountRules()
  const candidates = await runInSlices(collect(live, query), options.signal)
  const likely = candidates.toSorted((a, b) => b.likely - a.likely).slice(0, CANDIDATES)
  const clean = scrubber(live)
  const asked = { query, options: live.options, clean }
  const rated = await runInSlices(rateAll(likely, asked), options.signal)
  forgetLayers()
  return rated
    .filter(
      ({ score, element }) =>
        score > MIN_SCORE && (options.hidden || isShown(element, live.options)),
    )
    .toSorted((a, b) => b.score - a.score)
    .slice(0, options.limit ?? LIMIT)
    .map((found) => describe(found, asked))
}

/** Collects candidates without names and styles: fast enough for tens of thousands of elements. */
function* collect(live: LivePage, query: FindQuery): Generator<undefined, Candidate[]> {
  const wanted = query.role?.trim().toLowerCase()
  const words = normalize(query.name ?? query.text ?? '')
  const candidates: Candidate[] = []
  const drawnWords = drawnWordsOf(native.ownerDocument(rootOf(live.options)))
  for (const element of descendantsOf(rootOf(live.options))) {
    yield
    const shadow = native.shadowRoot(element)
    if (shadow) live.outline.trees.add(shadow)
    if (native.localName(element) === 'body') live.outline.trees.add(native.ownerDocument(element))
    const role = getShownRole(element)
    if (wanted && role !== wanted && !(wanted === 'generic' && !role)) continue
    if (query.name && !role && !isClickable(element)) continue
    const likely = words
      ? similarity(words, hints(element, role, drawnWords)) || longText(element, words)
      : 1
    if (likely > 0) candidates.push({ element, role, likely })
  }
  return candidates
}

/** Likelihood of an element with the words in a long text: its value, or text directly in it. */
function longText(element: Element, words: string): number {
  const value = typedValue(element)
  if (value.length >= LONG_TEXT) return normalize(value).includes(words) ? 0.5 : 0
  if (!holdsWords(element)) return 0
  const text = native.textContent(element)
  return text.length >= LONG_TEXT && normalize(text).includes(words) ? 0.5 : 0
}

function holdsWords(element: Element): boolean {
  for (let node = native.firstChild(element); node; node = native.nextSibling(node))
    if (native.nodeType(node) === 3 && native.nodeValue(node)?.trim()) return true
  return false
}

function labelTexts(element: Element, options: PageOptions): string[] {
  return referenced(element, 'aria-labelledby')
    .filter((label) => isReadable(label, options) && !isMasked(label, options))
    .map((label) => readableText(label, options))
}

/** How well the element's readable text matches. Looks at it closely only if the whole text would match. */
function textScore(element: Element, { query, options, clean }: Asked): number {
  const wanted = normalize(query.text ?? '')
  const value = typedValue(element)
  if (value) return similarity(wanted, normalize(clean(value)))
  if (similarity(wanted, normalize(native.textContent(element))) === 0) return 0
  const forms = comparableTexts(element, options)
  return Math.max(...forms.map((text) => similarity(wanted, normalize(clean(text)))))
}

interface Rated extends Candidate {
  readonly name: string
  readonly score: number
}

function* rateAll(candidates: readonly Candidate[], asked: Asked): Generator<undefined, Rated[]> {
  const rated: Rated[] = []
  for (const candidate of candidates) {
    yield
    rated.push(rate(candidate, asked))
  }
  return rated
}

/** `clean` removes secrets: a search must not reveal what is masked. */
interface Asked {
  readonly query: FindQuery
  readonly options: PageOptions
  readonly clean: (text: string) => string
}

function rate(candidate: Candidate, { query, options, clean }: Asked): Rated {
  const { element, role } = candidate
  const given = clean(
    getAccessibleName(element, role || 'button', options).text || shortText(element, options),
  )
  const masked = isMasked(element, options)
  // A hint finds the element, but isn't its name.
  const name = given || masked ? given : clean(nameHint(element, role, options))
  let score = name === given || !(query.name ?? query.text) ? 1 : HINT_SCORE
  if (query.name) score *= nameScore(query.name, { name, element, role, options, clean })
  if (query.text) {
    const own = Math.max(
      similarity(normalize(query.text), normalize(name)),
      masked ? 0 : textScore(element, { query, options, clean }),
    )
    // The innermost element with the text is the best match.
    score *= own * (!masked && native.textContent(element).length > LONG_TEXT ? 0.5 : 1)
  }
  if (isActionable(role)) score *= 1.02
  return { ...candidate, name: given, score }
}

/**
 * How well a name matches. The accessible name may include icons and a list's selected value, and days of a
 * calendar are known by their title: a visible text or title that matches is as good.
 */
function nameScore(
  wanted: string,
  of: Pick<Asked, 'options' | 'clean'> & { name: string; element: Element; role: string },
): number {
  const { name, element, role, options, clean } = of
  const query = normalize(wanted)
  const score = similarity(query, normalize(name))
  if (score === 1 || isMasked(element, options)) return score
  const also = [native.getAttribute(element, 'title') ?? '', ...labelTexts(element, options)]
  if (also.some((one) => normalize(clean(one)) === query)) return Math.max(score, ALIAS_SCORE)
  if (!isNamedByContent(role) || native.textContent(element).length > LONG_TEXT) return score
  const seen = clean(readableText(element, options))
  return normalize(seen) === query ? Math.max(score, ALIAS_SCORE) : score
}

/** A short text for an element without a name of its own: a cell, an item. */
function shortText(element: Element, options: PageOptions): string {
  if (native.textContent(element).length > LONG_TEXT || isMasked(element, options)) return ''
  const text = readableText(element, options)
  return text.length <= SHORT_TEXT ? text : ''
}

function isShown(element: Element, options: PageOptions): boolean {
  return (
    (hiddenReason(element) === null || isControlOnHover(element)) &&
    isReadable(element, options) &&
    !isUnseenByAria(element) &&
    !isOfHiddenList(element)
  )
}

/** Whether it is a control that is shown on hover. Texts shown on hover don't count. */
function isControlOnHover(element: Element): boolean {
  const isControl = isActionable(getShownRole(element)) || isClickable(element)
  return isControl && hiddenUntilHover(element) !== null
}

/** Whether it is an option of a select that a component hides behind its own list. */
function isOfHiddenList(element: Element): boolean {
  const list = isTag(element, 'option') ? native.closest(element, 'select') : null
  if (!list) return false
  const { visuallyHidden, style } = visibilityOf(list, viewOf(list))
  // A transparent list may lie over the custom one, and take the pointer there.
  return hiddenReason(list) !== null || (visuallyHidden && style?.opacity !== '0')
}

function isUnseenByAria(element: Element): boolean {
  const part = native.closest(element, '[aria-hidden="true"]')
  return part !== null && !seenButtons(part).some((button) => contains(button, element))
}

function describe({ element, role, name, score }: Rated, { query, options, clean }: Asked): Found {
  const node = standaloneNode(element, options)
  // Read the name first: it may mark the value as secret.
  const head = headWithRef(node, options)
  const value = shownValue(node, options)
  const text =
    node.name?.text || isMasked(element, options) ? '' : shorten(shownText(element, options), 100)
  const content = passage(element, query.text ?? '', options) || (value ?? text)
  const line = `${head}${content ? `: ${content}` : ''}${placeNote(placeOf(element, options), clean)}`
  return {
    element,
    role,
    score,
    ref: ensureRef(element),
    name: clean(name),
    line: clean(line),
  }
}

/** The place of the words in a long text, with the mark to read on from there. */
function passage(element: Element, wanted: string, options: PageOptions): string {
  if (!wanted || isMasked(element, options) || !(isField(element) || holdsWords(element))) return ''
  const found = excerptOf(longTextOf(element, options), wanted)
  if (!found) return ''
  return `…${escapeMarks(cleanText(found.text))}… ${textMark(element, found.at)}`
}

/**
 * How well a text matches a query, both normalised: 1 when equal, less for a prefix, a part, or some of the
 * words; 0 for no match.
 */
export function similarity(query: string, text: string): number {
  if (!query || !text) return 0
  if (query === text) return 1
  const share = query.length / text.length
  if (text.startsWith(query)) return 0.85 + 0.1 * share
  if (text.includes(query)) return 0.7 + 0.15 * share
  const words = query.split(' ')
  const found = words.filter((word) => text.includes(word)).length
  if (found === words.length) return 0.6
  if (words.length > 1 && found * 2 >= words.length) return 0.4 * (found / words.length)
  return query.includes(text) && text.length > 2
    ? 0.3 * (text.length / query.length)
    : typo(query, text)
}

/** Score of a single word with one letter too many, too few or wrong. */
function typo(query: string, text: string): number {
  if (query.length < 4 || Math.abs(query.length - text.length) > 1) return 0
  let start = 0
  while (start < query.length && query[start] === text[start]) start += 1
  let end = 0
  const room = Math.min(query.length, text.length) - start
  while (end < room && query.at(-1 - end) === text.at(-1 - end)) end += 1
  return Math.max(query.length, text.length) - start - end <= 1 ? 0.5 : 0
}
