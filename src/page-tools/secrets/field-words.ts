import { cleanText } from '../clean-text.ts'
import { childrenOf, closest, isElement, isTag, referenced } from '../dom.ts'
import { withGenerated } from '../generated-text.ts'
import { labelsOf } from '../labels.ts'
import * as native from '../native.ts'

/** Attributes of a field that say what it is for. */
const NAMING =
  'name,id,aria-label,placeholder,aria-placeholder,title,data-testid,aria-roledescription'.split(
    ',',
  )
/** Attributes that name a field for people. */
const TOLD = ['aria-label', 'placeholder', 'aria-placeholder', 'title']
const HOST_NAMING = ['aria-label', 'label', 'placeholder', 'name', 'id', 'title']
const GROUPS = 'fieldset,[role=group],[role=radiogroup]'

/** Names of fields as the outline last showed them. */
const namesTold = new WeakMap<Element, string>()

/** Records the name by which the outline shows a field: it may say that the value is secret. */
export function rememberName(field: Element, name: string): void {
  if (namesTold.get(field) === name) return
  namesTold.set(field, name)
  known.delete(field)
}

/** How long the words of a field are cached: one reading asks for them several times. Milliseconds. */
const FRESH_MS = 50
const known = new WeakMap<Element, { readonly words: string; readonly until: number }>()

/** All words that say what a field is for: more than its accessible name. */
export function wordsOf(field: Element): string {
  const before = known.get(field)
  if (before && performance.now() < before.until) return before.words
  const words = readWords(field)
  known.set(field, { words, until: performance.now() + FRESH_MS })
  return words
}

function readWords(field: Element): string {
  const labels = labelWords(field)
  const isNamed = labels !== '' || TOLD.some((name) => native.hasAttribute(field, name))
  const parts = [...NAMING.map((name) => native.getAttribute(field, name) ?? ''), labels]
  const told = namesTold.get(field)
  if (told) parts.push(told)
  const { host } = native.getRootNode(field) as Partial<ShadowRoot>
  if (host) parts.push(hostWords(field, host, isNamed))
  if (!isNamed || isPart(field, labels)) parts.push(groupWords(field))
  if (!isNamed) parts.push(cellWords(field))
  return cleanText(parts.join(' '))
}

function labelWords(field: Element): string {
  const labels = new Set([
    ...labelsOf(field),
    ...referenced(field, 'aria-labelledby'),
    ...(native.ariaLabelledByElements(field as object) ?? []),
  ])
  return [...labels].map((label) => shownWords(label)).join(' ')
}

const LEVELS = 6
/** Elements whose text is their value, or no text. */
const WITHOUT_WORDS = /^(script|style|template|textarea|select|option|input)$/

/** Words of an element: texts, slotted ones too, and words for pictures, of attributes and of styles. */
function shownWords(element: Element, level = 0): string {
  const told = ['aria-label', 'alt', 'title'].map(
    (name) => native.getAttribute(element, name) ?? '',
  )
  if (level > LEVELS) return told.join(' ')
  // Several elements may hold the parts of one word.
  const content = childrenOf(element).map((node) => {
    if (!isElement(node)) return native.nodeType(node) === 3 ? (native.nodeValue(node) ?? '') : ''
    return WITHOUT_WORDS.test(native.localName(node)) ? ' ' : shownWords(node, level + 1)
  })
  return [...told, withGenerated(element, content.join(''))].filter(Boolean).join(' ')
}

/** Words of the component around a field. If it has several fields, they count only for one without a name. */
function hostWords(field: Element, host: Element, isNamed: boolean): string {
  if (isNamed && (native.getRootNode(field) as ShadowRoot).querySelectorAll(FIELDS).length > 1)
    return ''
  const around = native.closest(host, 'label')
  const forHost = native.id(host)
    ? (native.getRootNode(host) as ShadowRoot).querySelector(
        `label[for="${CSS.escape(native.id(host))}"]`,
      )
    : null
  return [
    ...HOST_NAMING.map((name) => native.getAttribute(host, name) ?? ''),
    ...[around, forHost].map((label) => (label ? shownWords(label) : '')),
    ...referenced(host, 'aria-labelledby').map((label) => shownWords(label)),
  ].join(' ')
}

const FIELDS = 'input:not([type=hidden]),textarea,select,[contenteditable],[role=textbox]'
/** Numbered parts of what the group is called: "1.", "Word 3". */
const ORDINAL = /^\D{0,14}\b\d{1,2}\D{0,3}$/u
const LONGEST_PART = 6

function isPart(field: Element, labels: string): boolean {
  if (isTag(field, 'input') && field.maxLength > 0 && field.maxLength <= LONGEST_PART) return true
  return ORDINAL.test(cleanText(labels || (native.getAttribute(field, 'aria-label') ?? '')))
}

/** Name of the group around a field without a name of its own, such as a part of one number. */
function groupWords(field: Element): string {
  const group = closest(field, GROUPS)
  if (!group) return ''
  const legend = isTag(group, 'fieldset') ? group.querySelector('legend') : null
  return [
    native.getAttribute(group, 'aria-label') ?? '',
    ...[legend, ...referenced(group, 'aria-labelledby')].map((one) => (one ? shownWords(one) : '')),
  ].join(' ')
}

/** Heading of the table row around a field. */
function cellWords(field: Element): string {
  const cell = native.closest(field, 'td')
  const row = cell && native.parentElement(cell)
  const heading = row && native.querySelector(row, 'th')
  return heading ? shownWords(heading) : ''
}
