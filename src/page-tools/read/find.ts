import { cleanText, escapeMarks, normalize, quote, shorten } from '../clean-text.ts'
import { ancestorsOf, contains, descendantsOf, isTag, referenced, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import { livePage, type LivePage, scrubber } from '../outline/live-page.ts'
import { type ActOptions, type PageOptions, PageError } from '../page.ts'
import { holdsText, isField, isMasked } from '../secrets/secret-fields.ts'
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
  formatFieldValue,
  standaloneNode,
  textMark,
} from './line.ts'
import { findExcerpt, getLongText } from './long-text.ts'
import { hiddenReason, findVisibleButtons, visibilityOf } from '../outline/visibility.ts'
import { recountRules, hiddenUntilHover } from '../outline/hover/on-hover.ts'
import { getAccessibleName } from '../outline/name.ts'
import { comparableTexts, readableText, shownText } from './readable-text.ts'
import { isReadable, rootOf } from '../outline/region.ts'
import { isActionable, isNamedByContent, getShownRole } from '../outline/role.ts'
import { forgetLayers } from '../sight/layers.ts'

/** Surroundings of an element with their label, which tell equal elements apart. */
interface Surroundings {
  readonly role: string
  /** Empty if masked. */
  readonly label: string
  /** Source of the label: an item of a list, a part with a name or a title, or the words of a part with neither. */
  readonly source: 'item' | 'named' | 'words'
}

const ITEMS = /^(row|listitem|article|treeitem)$/
const DIALOGS = /^(dialog|alertdialog)$/
const PART_ROLES = /^(region|form|group|tabpanel)$/
const TITLES = 'h1,h2,h3,h4,h5,h6,[role=heading]'

/**
 * The nearest item, dialog or named part around an element, or the nearest part without a name. `limit`: maximum
 * characters of text to read in a part without a name.
 */
export function placeOf(
  element: Element,
  options: PageOptions,
  limit?: number,
): Surroundings | null {
  let unnamed: Surroundings | null = null
  for (const ancestor of ancestorsOf(element)) {
    const role = getShownRole(ancestor)
    const isItem = ITEMS.test(role)
    if (!isItem && !DIALOGS.test(role) && !PART_ROLES.test(role)) continue
    if (isMasked(ancestor, options)) return unnamed ?? { role, label: '', source: 'words' }
    const name =
      getAccessibleName(ancestor, role, options).text ||
      (isItem ? '' : readTitle(ancestor, options))
    const label = name || readableText(ancestor, options, limit)
    if (!label) continue
    if (isItem) return { role, label, source: 'item' }
    // The words of a dialog are its question.
    if (name || DIALOGS.test(role)) return { role, label, source: 'named' }
    unnamed ??= { role, label, source: 'words' }
  }
  return unnamed
}

/** Returns ` (in row "Ada")`, or an empty text if there is no place. `clean`: removes secrets. */
export function placeNote(
  place: Partial<Distinction> | null,
  clean: (text: string) => string,
): string {
  if (!place) return ''
  const { kind = 'in', role, label } = place
  // Scrub before shortening: a secret that is cut off would no longer be recognized.
  const labelText = label && quote(shorten(clean(label), LABEL_LIMIT).replace(/"/g, "'"))
  return ` (${[kind, role, labelText].filter(Boolean).join(' ')})`
}

function readTitle(part: Element, options: PageOptions): string {
  for (const candidate of descendantsOf(part))
    if (native.matches(candidate, TITLES))
      return isReadable(candidate, options) && !isMasked(candidate, options)
        ? readableText(candidate, options)
        : ''
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
 * Lines of elements of the same name, in page order. Each line adds what distinguishes its element: the row, dialog or
 * part around it, its column, words beside it, or its number from the top.
 */
export function distinguishElements(
  unordered: readonly Found[],
  { options, clean, mayBeMore }: DistinguishOptions,
): readonly string[] {
  const found = sortInPageOrder(unordered, rootOf(options))
  const elements = found.map(({ element }) => element)
  const noteKinds = [
    elements.map((item) => placeNote(placeOf(item, options), clean)),
    elements.map((item) =>
      placeNote(findNamedPart(item, findBlock(item, elements), options), clean),
    ),
    elements.map((item) => placeNote(findColumn(item, options), clean)),
    elements.map((item) =>
      placeNote(findNearbyText(item, findBlock(item, elements), options), clean),
    ),
  ]
  const count = mayBeMore ? `at least ${found.length}` : found.length
  return found.map(({ line }, index) => {
    const kindIndex = noteKinds.findIndex((notes) => isUnique(notes, index))
    if (kindIndex === 0) return line
    const note =
      kindIndex > 0 ? noteKinds[kindIndex]?.[index] : ` (${index + 1} of ${count} from the top)`
    return `${line}${note}`
  })
}

/** Sorts elements in page order, across frames and shadow roots. */
function sortInPageOrder(found: readonly Found[], root: Element): readonly Found[] {
  const byElement = new Map(found.map((item) => [item.element, item]))
  return [root, ...descendantsOf(root)].flatMap((element) => byElement.get(element) ?? [])
}

function isUnique(notes: readonly string[], index: number): boolean {
  const note = notes[index]
  return note !== '' && notes.indexOf(note ?? '') === notes.lastIndexOf(note ?? '')
}

/** The outermost ancestor of an element that contains none of the others. */
function findBlock(element: Element, elements: readonly Element[]): Element {
  let block = element
  for (const ancestor of ancestorsOf(element)) {
    if (elements.some((other) => other !== element && contains(ancestor, other))) break
    block = ancestor
  }
  return block
}

interface Distinction {
  readonly kind: 'in' | 'in column' | 'beside'
  readonly role?: string
  readonly label: string
}

/** The outermost part of the page, with its name, that holds only this element: `navigation "Main"`. */
function findNamedPart(element: Element, block: Element, options: PageOptions): Distinction | null {
  let distinction: Distinction | null = null
  for (const ancestor of ancestorsOf(element)) {
    const role = getShownRole(ancestor)
    if (isContainer(role) && !isMasked(ancestor, options))
      distinction = { kind: 'in', role, label: getAccessibleName(ancestor, role, options).text }
    if (ancestor === block) break
  }
  return distinction
}

function findColumn(element: Element, options: PageOptions): Distinction | null {
  const cell = native.closest(element, 'td,th')
  const table = cell && native.closest(cell, 'table')
  const [first] = table && isTag(table, 'table') ? table.rows : []
  const index = cell ? (cell as HTMLTableCellElement).cellIndex : -1
  const header = first?.cells[index]
  if (!header || header === cell || isMasked(header, options)) return null
  const label = readableText(header, options)
  return label ? { kind: 'in column', label } : null
}

/** The title of the part around an element, or the first words in the part that aren't the element's own. */
function findNearbyText(
  element: Element,
  block: Element,
  options: PageOptions,
): Distinction | null {
  if (block === element || isMasked(block, options)) return null
  const ownText = cleanText(readableText(element, options))
  const label =
    readTitle(block, options) || cleanText(readableText(block, options)).replace(ownText, '').trim()
  return /[\p{L}\p{N}]/u.test(label) ? { kind: 'beside', label } : null
}

/** Criteria of `find`. A match meets all of them. Without criteria, `find` rejects with `invalid-input`. */
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
  /** Also finds elements that are on the page but not visible. Default false. */
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
  const candidates = await runInSlices(collectCandidates(live, query), options.signal)
  const mostLikely = candidates.toSorted((a, b) => b.likely - a.likely).slice(0, CANDIDATES)
  const clean = scrubber(live)
  const context = { query, options: live.options, clean }
  const rated = await runInSlices(rateAll(mostLikely, context), options.signal)
  forgetLayers()
  return rated
    .filter(
      ({ score, element }) =>
        score > MIN_SCORE && (options.hidden || isShown(element, live.options)),
    )
    .toSorted((a, b) => b.score - a.score)
    .slice(0, options.limit ?? LIMIT)
    .map((found) => describe(found, context))
}

/** Collects candidates without names and styles: fast enough for tens of thousands of elements. */
function* collectCandidates(live: LivePage, query: FindQuery): Generator<undefined, Candidate[]> {
  const requestedRole = query.role?.trim().toLowerCase()
  const words = normalize(query.name ?? query.text ?? '')
  const candidates: Candidate[] = []
  const drawnWords = drawnWordsOf(native.ownerDocument(rootOf(live.options)))
  for (const element of descendantsOf(rootOf(live.options))) {
    yield
    const shadow = native.shadowRoot(element)
    if (shadow) live.outline.trees.add(shadow)
    if (native.localName(element) === 'body') live.outline.trees.add(native.ownerDocument(element))
    const role = getShownRole(element)
    if (requestedRole && role !== requestedRole && !(requestedRole === 'generic' && !role)) continue
    if (query.name && !role && !isClickable(element)) continue
    const likely = words
      ? similarity(words, hints(element, role, drawnWords)) || scoreLongText(element, words)
      : 1
    if (likely > 0) candidates.push({ element, role, likely })
  }
  return candidates
}

/** Likelihood of an element with the words in a long text: its value, or text directly in it. */
function scoreLongText(element: Element, words: string): number {
  const value = typedValue(element)
  if (value.length >= LONG_TEXT) return normalize(value).includes(words) ? 0.5 : 0
  if (!holdsText(element)) return 0
  const text = native.textContent(element)
  return text.length >= LONG_TEXT && normalize(text).includes(words) ? 0.5 : 0
}

function labelTexts(element: Element, options: PageOptions): string[] {
  return referenced(element, 'aria-labelledby')
    .filter((label) => isReadable(label, options) && !isMasked(label, options))
    .map((label) => readableText(label, options))
}

/** How well the element's readable text matches. Reads it only if `textContent` would match. */
function textScore(element: Element, { query, options, clean }: SearchContext): number {
  const normalized = normalize(query.text ?? '')
  const value = typedValue(element)
  if (value) return similarity(normalized, normalize(clean(value)))
  if (similarity(normalized, normalize(native.textContent(element))) === 0) return 0
  const forms = comparableTexts(element, options)
  return Math.max(...forms.map((text) => similarity(normalized, normalize(clean(text)))))
}

interface Rated extends Candidate {
  readonly name: string
  readonly score: number
}

function* rateAll(
  candidates: readonly Candidate[],
  context: SearchContext,
): Generator<undefined, Rated[]> {
  const rated: Rated[] = []
  for (const candidate of candidates) {
    yield
    rated.push(rate(candidate, context))
  }
  return rated
}

/** `clean` removes secrets: a search must not reveal what is masked. */
interface SearchContext {
  readonly query: FindQuery
  readonly options: PageOptions
  readonly clean: (text: string) => string
}

function rate(candidate: Candidate, { query, options, clean }: SearchContext): Rated {
  const { element, role } = candidate
  const accessibleName = clean(
    getAccessibleName(element, role || 'button', options).text || shortText(element, options),
  )
  const masked = isMasked(element, options)
  // A hint finds the element, but isn't its name.
  const name = accessibleName || masked ? accessibleName : clean(nameHint(element, role, options))
  let score = name === accessibleName || !(query.name ?? query.text) ? 1 : HINT_SCORE
  if (query.name) score *= nameScore(query.name, { name, element, role, options, clean })
  if (query.text) {
    const textMatch = Math.max(
      similarity(normalize(query.text), normalize(name)),
      masked ? 0 : textScore(element, { query, options, clean }),
    )
    // The innermost element with the text is the best match.
    score *= textMatch * (!masked && native.textContent(element).length > LONG_TEXT ? 0.5 : 1)
  }
  if (isActionable(role)) score *= 1.02
  return { ...candidate, name: accessibleName, score }
}

/**
 * How well a name matches. The accessible name may include icons and a list's selected value, and days of a
 * calendar are known by their title: a visible text or title that matches is as good.
 */
function nameScore(
  queryName: string,
  candidate: Pick<SearchContext, 'options' | 'clean'> & {
    name: string
    element: Element
    role: string
  },
): number {
  const { name, element, role, options, clean } = candidate
  const query = normalize(queryName)
  const score = similarity(query, normalize(name))
  if (score === 1 || isMasked(element, options)) return score
  const aliases = [native.getAttribute(element, 'title') ?? '', ...labelTexts(element, options)]
  if (aliases.some((candidate) => normalize(clean(candidate)) === query))
    return Math.max(score, ALIAS_SCORE)
  if (!isNamedByContent(role) || native.textContent(element).length > LONG_TEXT) return score
  const visibleText = clean(readableText(element, options))
  return normalize(visibleText) === query ? Math.max(score, ALIAS_SCORE) : score
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
    !isHiddenByAria(element) &&
    !isInHiddenList(element)
  )
}

/** Whether the element is a control that is shown on hover. Texts shown on hover don't count. */
function isControlOnHover(element: Element): boolean {
  const isControl = isActionable(getShownRole(element)) || isClickable(element)
  return isControl && hiddenUntilHover(element) !== null
}

/** Whether the element is an option of a select that a component hides behind its own list. */
function isInHiddenList(element: Element): boolean {
  const list = isTag(element, 'option') ? native.closest(element, 'select') : null
  if (!list) return false
  const { visuallyHidden, style } = visibilityOf(list, viewOf(list))
  // A transparent list may lie over the custom one, and take the pointer there.
  return hiddenReason(list) !== null || (visuallyHidden && style?.opacity !== '0')
}

function isHiddenByAria(element: Element): boolean {
  const part = native.closest(element, '[aria-hidden="true"]')
  return part !== null && !findVisibleButtons(part).some((button) => contains(button, element))
}

function describe(
  { element, role, name, score }: Rated,
  { query, options, clean }: SearchContext,
): Found {
  const node = standaloneNode(element, options)
  // Read the name first: it may mark the value as secret.
  const head = headWithRef(node, options)
  const value = formatFieldValue(node, options)
  const text =
    node.name?.text || isMasked(element, options) ? '' : shorten(shownText(element, options), 100)
  const content = formatPassage(element, query.text ?? '', options) || (value ?? text)
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
function formatPassage(element: Element, query: string, options: PageOptions): string {
  if (!query || isMasked(element, options) || !(isField(element) || holdsText(element))) return ''
  const found = findExcerpt(getLongText(element, options), query)
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
  const ratio = query.length / text.length
  if (text.startsWith(query)) return 0.85 + 0.1 * ratio
  if (text.includes(query)) return 0.7 + 0.15 * ratio
  const words = query.split(' ')
  const matchCount = words.filter((word) => text.includes(word)).length
  if (matchCount === words.length) return 0.6
  if (words.length > 1 && matchCount * 2 >= words.length) return 0.4 * (matchCount / words.length)
  return query.includes(text) && text.length > 2
    ? 0.3 * (text.length / query.length)
    : scoreTypo(query, text)
}

/** Score of a single word with one letter too many, too few or wrong. */
function scoreTypo(query: string, text: string): number {
  if (query.length < 4 || Math.abs(query.length - text.length) > 1) return 0
  let start = 0
  while (start < query.length && query[start] === text[start]) start += 1
  let end = 0
  const maxEnd = Math.min(query.length, text.length) - start
  while (end < maxEnd && query.at(-1 - end) === text.at(-1 - end)) end += 1
  return Math.max(query.length, text.length) - start - end <= 1 ? 0.5 : 0
}
