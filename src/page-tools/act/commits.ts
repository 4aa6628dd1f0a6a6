import { cleanText } from '../clean-text.ts'
import {
  isHarmless,
  readAddress,
  findCommitWord,
  isConsentLabel,
  isDeclineLabel,
  isSaveLabel,
} from '../commits/read-commit.ts'
import { closest, descendantsOf, isElement, isTag, referenced, viewOf } from '../dom.ts'
import { drawnText, hiddenWords } from '../generated-text.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import type { PageAction, PageOptions } from '../page.ts'
import { getAccessibleName } from '../outline/name.ts'
import { getShownRole } from '../outline/role.ts'
import { activatedElements, findControl, findScriptedButtons } from './guard-actions.ts'
import { choicesOf } from './option-list.ts'
import { isEditable, findTypingTarget } from './field-kind.ts'
import {
  type Activation,
  defaultButtonOf,
  destinationOf,
  formSubmittedBy,
  leavesSite,
  postsForm,
  submitterOf,
} from './sites.ts'

/** Words in the classes, ids and files of icons. */
const ICONS =
  /\b(?:trash|trashcan|delete|bin|dustbin|garbage|erase|send|paper ?plane|pay|buy|purchase|publish|log ?out|sign ?out)\b/
/**
 * Emoji for deleting, paying and sending. An envelope beside a number doesn't count, since it shows the number of
 * mails.
 */
const PICTURES =
  /[\u{1F5D1}\u{1F6AE}\u{1F4B3}\u{1F4B8}]|^[^\d]*[\u2709\u{1F4E4}\u{1F4E7}-\u{1F4E9}][^\d]*$/u

const MARKS = [
  'class',
  'id',
  'name',
  'title',
  'data-action',
  'data-icon',
  'data-lucide',
  'data-testid',
  'href',
  'xlink:href',
  'icon',
  'src',
]
/** Maximum elements of an icon that are read. */
const MOST_PARTS = 12
const LONG = 200

/**
 * Finds the committing word in an icon's marks, for a control without letters in its names: `fa-trash`, `#paper-plane`,
 * an emoji.
 */
function findCommitInIcon(control: Element, names: readonly string[]): string | null {
  const picture = names.map((name) => PICTURES.exec(name)?.[0]).find(Boolean)
  if (picture) return picture
  const descendants = [...native.querySelectorAll(control, '*')].slice(0, MOST_PARTS)
  for (const part of [control, ...descendants]) {
    const marks = readMarks(part, part === control)
    const words = splitWords(marks.join(' '))
    if (isHarmless(words)) return null
    const found =
      ICONS.exec(words)?.[0] ??
      marks
        .flatMap((mark) => mark.split(/\s+/))
        .map(findCommitPhrase)
        .find(Boolean)
    if (found) return found
  }
  return null
}

/**
 * Finds a phrase that commits in a single mark. A word isn't enough: `icon-book` is a book, but `icon-place-order`
 * commits.
 */
function findCommitPhrase(mark: string): string | null {
  const word = findCommitWord(splitWords(mark).replace(PREFIXES, '').trim())
  return word?.includes(' ') ? word : null
}

const PREFIXES =
  /^ *(?:(?:icons?|ico|fa[srlb]?|bi|ti|mdi|lucide|ri|glyphicon|svg|i|btn|button|js) )+/

/** Skips the control's own `href`: it is the link's address, not a mark of an icon. */
function readMarks(part: Element, isControl: boolean): string[] {
  const values = MARKS.map((mark) =>
    isControl && mark === 'href' ? '' : (native.getAttribute(part, mark) ?? '').slice(-LONG),
  )
  const title =
    native.localName(part) === 'title' ? (native.textContent(part) ?? '').slice(0, LONG) : ''
  return [...values.filter((value) => !value.startsWith('data:')), title]
}

function splitWords(marks: string): string {
  return marks
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/[^\p{L}]+/gu, ' ')
    .toLowerCase()
}

export const DIALOGS = 'dialog,[role=dialog],[role=alertdialog]'
const SECTIONS = 'section,article,fieldset,[role=region],[role=group]'
const BUTTONS = 'button,input[type=submit],input[type=button],[role=button]'
const TITLES = 'h1,h2,h3,h4,h5,h6,legend,[role=heading]'
const CHOICE_FIELDS =
  'input[type=checkbox],input[type=radio],[role=checkbox],[role=radio],[role=switch]'
const NAMED = '[aria-label],[aria-labelledby],[title]'
/** Maximum number of buttons in a dialog that asks a question, not counting buttons that decline. */
const BUTTONS_OF_QUESTION = 2

interface Ending {
  /** The form that the control submits. */
  readonly form: HTMLFormElement | null
  readonly names: readonly string[]
  readonly options: PageOptions
}

/**
 * Finds a committing word in the title of the form or dialog that a control submits or closes: "OK" under "Delete
 * account?".
 */
function findCommitInTitle(control: Element, { form, names, options }: Ending): string | null {
  const isNoCommit = (name: string): boolean =>
    [isDeclineLabel, isHarmless, isSaveLabel].some((isLabel) => isLabel(name))
  if (names.some(isNoCommit)) return null
  const allConsent = names.every(isConsentLabel)
  const dialog = closest(control, DIALOGS)
  const isQuestionDialog = dialog !== null && (form === null || allConsent) && isQuestion(dialog)
  const titledElements = [
    ...(form && allConsent ? [form, findSection(form)] : []),
    isQuestionDialog ? dialog : null,
  ]
  for (const titled of titledElements)
    for (const title of titled ? readTitles(titled, options) : []) {
      const found = findCommitWord(title, 'ending')
      if (found) return found
    }
  return null
}

/** Whether the dialog asks for a yes or a no. */
function isQuestion(dialog: Element): boolean {
  const others = findAll(dialog, BUTTONS).filter((button) => !isDeclineLabel(readLabel(button)))
  return others.length <= BUTTONS_OF_QUESTION
}

function readLabel(button: Element): string {
  const value = native.getAttribute(button, 'value') ?? ''
  return cleanText(native.getAttribute(button, 'aria-label') ?? (drawnText(button) || value))
}

/** The part of the page that holds only this form. */
function findSection(form: Element): Element | null {
  const section = closest(form, SECTIONS)
  return section && native.querySelectorAll(section, 'form').length === 1 ? section : null
}

function readTitles(element: Element, options: PageOptions): readonly string[] {
  const described = referenced(element, 'aria-describedby').slice(0, 1)
  const headings = findAll(element, TITLES)
    .filter((title) => !isChoiceTitle(title))
    .slice(0, 2)
  const paragraphs = native.matches(element, DIALOGS) ? findAll(element, 'p').slice(0, 2) : []
  // An unnamed element is named by its first words, which may belong to a choice.
  const isNamed =
    native.matches(element, NAMED) || native.querySelector(element, CHOICE_FIELDS) === null
  return [
    isNamed ? getAccessibleName(element, 'form', options).text : '',
    ...[...headings, ...described, ...paragraphs].map((title) => drawnText(title)),
  ]
}

/** Whether the title is the legend of a group of boxes, which names the choices: "Send me mail about". */
function isChoiceTitle(title: Element): boolean {
  const group = native.localName(title) === 'legend' && native.parentElement(title)
  return group ? native.querySelector(group, CHOICE_FIELDS) !== null : false
}

/** Rendered descendants that match, also in slots and shadow roots. */
function findAll(element: Element, selector: string): Element[] {
  return [...descendantsOf(element)].filter((candidate) => native.matches(candidate, selector))
}

/** An action on an element, with the details that decide whether it commits the person to something. */
export interface ElementAction {
  readonly action: PageAction
  /** Labels of the options or menu items to choose. */
  readonly labels?: readonly string[]
  /** The pressed key with its modifiers: `Control+Delete`. */
  readonly key?: string
  /** The action follows typing into the field in the element. */
  readonly typed?: boolean
  /** The click only opens a menu. */
  readonly opens?: boolean
}

const LEAVES = 'leads to another site'
const SUBMITS = 'submits a form'
/** Elements whose use made a script of the page submit a form. */
const posters = new WeakSet<Element>()

/** Records that using these elements submitted a form that the markup doesn't show. */
export function rememberPost(elements: readonly Element[]): string {
  for (const element of elements) posters.add(element)
  return SUBMITS
}

/**
 * Describes the effect of an action for the person, such as `has an effect ("pay")`. Empty for actions that never need
 * approval: opening, typing, filtering. A POST form has an effect, whatever its button is called, and so has an address
 * that acts. Everything else depends on a short list of words.
 */
export function commitOf(
  element: Element,
  elementAction: ElementAction,
  options: PageOptions,
): string {
  if (elementAction.opens) return ''
  const usedElement = getUsedElement(element, elementAction)
  const activation = activationOf(elementAction.action)
  const url = activation && destinationOf(usedElement, activation)
  if (url && leavesSite(url, viewOf(usedElement))) return LEAVES
  if (posters.has(usedElement) || (activation && postsForm(usedElement, activation))) return SUBMITS
  const word =
    (url && findWordInAddress(url, usedElement)) ??
    findCommitWordFor(usedElement, elementAction, options)
  return word ? `has an effect ("${word}")` : ''
}

/** Skips the page's own address: forms without an action submit to it. */
function findWordInAddress(url: URL, usedElement: Element): string | null {
  return withoutHash(url.href) === pageOf(usedElement) ? null : readAddress(url)
}

/** Returns the element that the action uses: for an Enter after a text, the field typed into. */
export function getUsedElement(element: Element, { action, typed }: ElementAction): Element {
  return typed && action === 'enter' ? findTypingTarget(element) : element
}

/** Returns undefined if the action activates nothing. */
export function activationOf(action: PageAction): Activation | undefined {
  if (action === 'click') return 'click'
  return action === 'enter' ? 'activate' : undefined
}

function findCommitWordFor(
  element: Element,
  { action, labels = [], key }: ElementAction,
  options: PageOptions,
): string | null {
  switch (action) {
    case 'click':
      return firstResult(activatedElements(element, action), (candidate) =>
        findCommitInControl(candidate, options),
      )
    case 'enter':
      return findCommitForEnter(element, options)
    case 'check':
      return isToggle(element) ? findCommitInControl(element, options) : null
    case 'select':
      return findCommitInChoice(element, labels, options)
    case 'drop':
      return firstResult(readNames(element, options), (name) => findCommitWord(name))
    case 'press':
      return DELETING.test(key ?? '') && !isEditable(element) ? 'delete' : null
    case 'type':
    case 'drag':
      return null
    default:
      return action satisfies never
  }
}

const HOLDS_VALUES = /^(combobox|listbox|radiogroup|textbox|searchbox|group|tree)$/
/** Matches with modifiers, too: `Control+Delete`. */
const DELETING = /(?:^|\+)\s*(?:delete|del|backspace)\s*$/i

/** Reads the labels of a menu, wherever its items are, then the options themselves: an option of a list may act. */
function findCommitInChoice(
  element: Element,
  labels: readonly string[],
  options: PageOptions,
): string | null {
  const byLabel = HOLDS_VALUES.test(getShownRole(element))
    ? null
    : firstResult(labels, (label) => findCommitWord(label))
  return (
    byLabel ??
    firstResult(choicesOf(element, labels, options), (choice) =>
      findCommitInControl(choice, options),
    )
  )
}

/** Enter sends the form, or a script treats it as a press of the button beside the field. */
function findCommitForEnter(element: Element, options: PageOptions): string | null {
  const activated = activatedElements(element, 'enter').filter(
    (candidate) => candidate !== element || !isEditable(candidate),
  )
  const found = firstResult(activated, (candidate) => findCommitInControl(candidate, options))
  if (found) return found
  const form = defaultButtonOf(element) ? null : formSubmittedBy(element, 'activate')
  if (isSearch(element, form)) return null
  // If there is no button, only the title says what Enter sends.
  const byTitle = form && findCommitInTitle(element, { form, names: [], options })
  return (
    byTitle ??
    firstResult(findScriptedButtons(element), (button) =>
      firstResult(readNames(button, options), (name) => findCommitWord(name, 'ending')),
    )
  )
}

function findCommitInControl(part: Element, options: PageOptions): string | null {
  const control = findControl(part)
  const form = submitterOf(control)?.form ?? null
  if (isSearch(control, form) || (!form && opensPopup(control))) return null
  const names = readNames(control, options)
  const findWord = (name: string): string | null =>
    canCommit(control, name) ? findCommitWord(name, form ? 'ending' : 'control') : null
  const ownWord =
    firstResult(names, findWord) ??
    firstResult(hiddenWords(control), findWord) ??
    (names.some(hasLetters) ? null : findIconCommit(control, names))
  if (ownWord) return ownWord
  const isButton = form !== null || /^(button|link)$/.test(getShownRole(control))
  return isButton ? findCommitInTitle(control, { form, names, options }) : null
}

/** Reads the icon of a control whose names have no letters. */
function findIconCommit(control: Element, names: readonly string[]): string | null {
  return /^(button|link|img|image|menuitem)?$/.test(getShownRole(control))
    ? findCommitInIcon(control, names)
    : null
}

function hasLetters(name: string): boolean {
  return /\p{L}/u.test(name)
}

/** Whether the control only opens a menu, a dialog or more of the page. */
function opensPopup(control: Element): boolean {
  const popup = native.getAttribute(control, 'aria-haspopup')
  return (
    (popup !== null && popup !== 'false') ||
    native.hasAttribute(control, 'aria-expanded') ||
    native.hasAttribute(control, 'popovertarget') ||
    /^(show|toggle)-/.test(native.getAttribute(control, 'command') ?? '') ||
    isTag(control, 'summary')
  )
}

/**
 * Whether the control belongs to a search, which changes nothing: by its role, or by a GET form, whose result has an
 * address.
 */
function isSearch(control: Element, form: HTMLFormElement | null): boolean {
  if (closest(control, 'search,[role=search]')) return true
  return form !== null && native.getAttribute(form, 'method')?.toLowerCase() === 'get'
}

function isToggle(element: Element): boolean {
  return getShownRole(element) === 'switch' || native.hasAttribute(element, 'aria-pressed')
}

const ITEMS = '[role=row],[role=listitem],[role=option],tr,li,article,label'

/** Whether a name describes an action, unlike a headline that links to its article or an item of a to-do list. */
function canCommit(control: Element, name: string): boolean {
  const role = getShownRole(control)
  const wordCount = name.split(/\s+/).length
  if (/^(button|switch|menuitem)/.test(role)) return true
  if (role === 'tab' || role === 'option') return isButtonLike(control)
  if (role === 'link') return canLinkCommit(control, name, wordCount)
  if (!/^(img|image)?$/.test(role) || (isTag(control, 'label') && control.control)) return false
  return wordCount <= (closest(control, ITEMS) ? 1 : 4)
}

/** Whether the control acts as a button: a tab that shows no panel, or an option outside of any list. */
function isButtonLike(control: Element): boolean {
  return (
    !closest(control, CHOICES) &&
    referenced(control, 'aria-controls').length === 0 &&
    !isTag(control, 'option')
  )
}

const CHOICES =
  'select,datalist,[role=tablist],[role=listbox],[role=combobox],[role=group],[role=grid],[role=tree]'

const LONG_LINK = 30
const NAVIGATION = 'nav,[role=navigation]'
const FOOTER = 'footer,[role=contentinfo]'
/** Containers whose footers aren't the page's footer. */
const FOOTER_CONTAINERS =
  'dialog,[role=dialog],[role=alertdialog],form,article,section,main,[role=main],tr,li'
/** Names of links that state the topic of a page: "Send money guide", "Delete a user", `delete()`. */
const TOPIC_NAME =
  /^\p{L}+ an? \p{L}|\b(?:guides?|help|faqs?|polic(?:y|ies)|tips|tutorials?|docs|documentation)$|\(\)$/iu

function canLinkCommit(link: Element, name: string, words: number): boolean {
  const hasAddress = leadsToOtherPage(link)
  if ((hasAddress || leadsToAnchor(link)) && (isNavigation(link) || TOPIC_NAME.test(name)))
    return false
  return hasAddress ? words <= 3 && name.length <= LONG_LINK : words <= 6
}

function isNavigation(link: Element): boolean {
  const footer = closest(link, FOOTER)
  return (
    closest(link, NAVIGATION) !== null || (footer !== null && !closest(footer, FOOTER_CONTAINERS))
  )
}

/** Whether the link leads to a named anchor on this page. A bare `#` marks a link that a script uses as a button. */
function leadsToAnchor(link: Element): boolean {
  return /^#./.test(native.getAttribute(link, 'href') ?? '')
}

/** Whether the link has an address of its own. A link used as a button has no address, or an anchor on this page. */
function leadsToOtherPage(link: Element): boolean {
  const url = destinationOf(link, 'click')
  return url !== null && /^https?:$/.test(url.protocol) && withoutHash(url.href) !== pageOf(link)
}

/** The address of an element's page, without its fragment. */
export function pageOf(element: Element): string {
  return withoutHash(nativeDocument.URL(native.ownerDocument(element)))
}

export function withoutHash(address: string): string {
  return address.replace(/#.*$/, '')
}

/** All names of a control: for people who see it, and for assistive technology. */
function readNames(control: Element, options: PageOptions): readonly string[] {
  const isButtonInput = isTag(control, 'input') && /^(submit|button|reset)$/.test(control.type)
  const names = [
    getAccessibleName(control, getShownRole(control) || 'button', options).text,
    isElement(control) ? (native.innerText(control) ?? native.textContent(control)) : '',
    // `innerText` is empty for an element that is shown on hover only: read `textContent`.
    native.checkVisibility(control, { visibilityProperty: true })
      ? ''
      : native.textContent(control),
    drawnText(control),
    native.getAttribute(control, 'aria-label') ?? '',
    native.getAttribute(control, 'title') ?? '',
    isButtonInput ? control.value : '',
  ]
  return [...new Set(names.map((name) => cleanText(name)).filter(Boolean))]
}

function firstResult<Item>(
  items: readonly Item[],
  evaluate: (item: Item) => string | null,
): string | null {
  for (const item of items) {
    const found = evaluate(item)
    if (found) return found
  }
  return null
}
