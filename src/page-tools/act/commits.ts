import { cleanText } from '../clean-text.ts'
import { readAddress, readCommit } from '../commits/read-commit.ts'
import { closest, isElement, isTag, referenced, viewOf } from '../dom.ts'
import { drawnText, hiddenWords } from '../generated-text.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import type { PageAction, PageOptions } from '../options.ts'
import { nameOf } from '../outline/name.ts'
import { roleOf } from '../outline/role.ts'
import { activated, controlAround, pressedByScript } from './activated.ts'
import { choicesOf } from './choices.ts'
import { isEditable, typedInto } from './field-kind.ts'
import { iconCommit } from './icon-commit.ts'
import {
  defaultButtonOf,
  destinationOf,
  formSubmittedBy,
  leavesSite,
  postsForm,
  submitterOf,
  type Activation,
} from './sites.ts'
import { titleCommit } from './title-commit.ts'

/** An action on an element, with the details that decide whether it commits the person to something. */
export interface Doing {
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

export const LEAVES = 'leads to another site'
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
 * approval: opening, typing, filtering. A form submitted by POST has an effect, whatever its button is called. An
 * address that acts has one, too. All else depends on a short list of words.
 */
export function commitOf(element: Element, doing: Doing, options: PageOptions): string {
  if (doing.opens) return ''
  const used = usedBy(element, doing)
  const activation = activationOf(doing.action)
  const url = activation && destinationOf(used, activation)
  if (url && leavesSite(url, viewOf(used))) return LEAVES
  if (posters.has(used) || (activation && postsForm(used, activation))) return SUBMITS
  const word = (url && wordOfAddress(url, used)) ?? commitByWords(used, doing, options)
  return word ? `has an effect ("${word}")` : ''
}

/** Skips the page's own address: forms without an action submit to it. */
function wordOfAddress(url: URL, used: Element): string | null {
  return withoutHash(url.href) === pageOf(used) ? null : readAddress(url)
}

/** Returns the element that the action uses: for an Enter after a text, the field typed into. */
export function usedBy(element: Element, { action, typed }: Doing): Element {
  return typed && action === 'enter' ? typedInto(element) : element
}

/** Undefined: the action activates nothing. */
export function activationOf(action: PageAction): Activation | undefined {
  if (action === 'click') return 'click'
  return action === 'enter' ? 'activate' : undefined
}

function commitByWords(
  element: Element,
  { action, labels = [], key }: Doing,
  options: PageOptions,
): string | null {
  switch (action) {
    case 'click':
      return firstOf(activated(element, action), (one) => commitOfControl(one, options))
    case 'enter':
      return commitOfEnter(element, options)
    case 'check':
      return isToggle(element) ? commitOfControl(element, options) : null
    case 'select':
      return commitOfChoice(element, labels, options)
    case 'drop':
      return firstOf(namesOf(element, options), (name) => readCommit(name))
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

/** Reads a menu's labels, wherever its items are, then the options themselves: a list may hold one that acts. */
function commitOfChoice(
  element: Element,
  labels: readonly string[],
  options: PageOptions,
): string | null {
  const byLabel = HOLDS_VALUES.test(roleOf(element))
    ? null
    : firstOf(labels, (label) => readCommit(label))
  return (
    byLabel ??
    firstOf(choicesOf(element, labels, options), (choice) => commitOfControl(choice, options))
  )
}

/** Enter sends the form, or a script treats it as a press of the button beside the field. */
function commitOfEnter(element: Element, options: PageOptions): string | null {
  const own = activated(element, 'enter').filter((one) => one !== element || !isEditable(one))
  const found = firstOf(own, (one) => commitOfControl(one, options))
  if (found) return found
  const form = defaultButtonOf(element) ? null : formSubmittedBy(element, 'activate')
  if (isSearch(element, form)) return null
  // Without a button, only the title says what Enter sends.
  const byTitle = form && titleCommit(element, { form, names: [], options })
  return (
    byTitle ??
    firstOf(pressedByScript(element), (button) =>
      firstOf(namesOf(button, options), (name) => readCommit(name, 'ending')),
    )
  )
}

function commitOfControl(part: Element, options: PageOptions): string | null {
  const control = controlAround(part)
  const form = submitterOf(control)?.form ?? null
  if (isSearch(control, form) || (!form && opens(control))) return null
  const names = namesOf(control, options)
  const read = (name: string): string | null =>
    mayCommit(control, name) ? readCommit(name, form ? 'ending' : 'control') : null
  const own =
    firstOf(names, read) ??
    firstOf(hiddenWords(control), read) ??
    (names.some(hasLetters) ? null : iconOf(control, names))
  if (own) return own
  const isButton = form !== null || /^(button|link)$/.test(roleOf(control))
  return isButton ? titleCommit(control, { form, names, options }) : null
}

/** Reads the icon of a control whose names have no letters. */
function iconOf(control: Element, names: readonly string[]): string | null {
  return /^(button|link|img|image|menuitem)?$/.test(roleOf(control))
    ? iconCommit(control, names)
    : null
}

function hasLetters(name: string): boolean {
  return /\p{L}/u.test(name)
}

/** Whether the control only opens a menu, a dialog or more of the page. */
function opens(control: Element): boolean {
  const popup = native.getAttribute(control, 'aria-haspopup')
  return (
    (popup !== null && popup !== 'false') ||
    native.hasAttribute(control, 'aria-expanded') ||
    native.hasAttribute(control, 'popovertarget') ||
    /^(show|toggle)-/.test(native.getAttribute(control, 'command') ?? '') ||
    isTag(control, 'summary')
  )
}

/** Searches change nothing. They have the role, or a form with GET, whose result has an address. */
function isSearch(control: Element, form: HTMLFormElement | null): boolean {
  if (closest(control, 'search,[role=search]')) return true
  return form !== null && native.getAttribute(form, 'method')?.toLowerCase() === 'get'
}

function isToggle(element: Element): boolean {
  return roleOf(element) === 'switch' || native.hasAttribute(element, 'aria-pressed')
}

const ITEMS = '[role=row],[role=listitem],[role=option],tr,li,article,label'

/** Whether a name describes an action, unlike a headline that links to its article or an item of a to-do list. */
function mayCommit(control: Element, name: string): boolean {
  const role = roleOf(control)
  const words = name.split(/\s+/).length
  if (/^(button|switch|menuitem)/.test(role)) return true
  if (role === 'tab' || role === 'option') return standsAlone(control)
  if (role === 'link') return mayLinkCommit(control, name, words)
  if (!/^(img|image)?$/.test(role) || (isTag(control, 'label') && control.control)) return false
  return words <= (closest(control, ITEMS) ? 1 : 4)
}

/** Whether it acts as a button: a tab that shows no panel, or an option outside of any list. */
function standsAlone(control: Element): boolean {
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
/** A footer inside one of these isn't the page's footer. */
const PARTS = 'dialog,[role=dialog],[role=alertdialog],form,article,section,main,[role=main],tr,li'
/** Names of links that state the topic of a page: "Send money guide", "Delete a user", `delete()`. */
const ABOUT =
  /^\p{L}+ an? \p{L}|\b(?:guides?|help|faqs?|polic(?:y|ies)|tips|tutorials?|docs|documentation)$|\(\)$/iu

function mayLinkCommit(link: Element, name: string, words: number): boolean {
  const leads = leadsElsewhere(link)
  if ((leads || leadsToPart(link)) && (isNavigation(link) || ABOUT.test(name))) return false
  return leads ? words <= 3 && name.length <= LONG_LINK : words <= 6
}

function isNavigation(link: Element): boolean {
  const footer = closest(link, FOOTER)
  return closest(link, NAVIGATION) !== null || (footer !== null && !closest(footer, PARTS))
}

/** Whether the link leads to a named anchor on this page. A bare `#` belongs to a script's button. */
function leadsToPart(link: Element): boolean {
  return /^#./.test(native.getAttribute(link, 'href') ?? '')
}

/** Whether the link has an address of its own. A script's button has none, or an anchor on this page. */
function leadsElsewhere(link: Element): boolean {
  const url = destinationOf(link, 'click')
  return url !== null && /^https?:$/.test(url.protocol) && withoutHash(url.href) !== pageOf(link)
}

function pageOf(element: Element): string {
  return withoutHash(nativeDocument.URL(native.ownerDocument(element)))
}

function withoutHash(address: string): string {
  return address.replace(/#.*$/, '')
}

/** All names of a control, for those who see it and for those who don't. */
function namesOf(control: Element, options: PageOptions): readonly string[] {
  const value = isTag(control, 'input') && /^(submit|button|reset)$/.test(control.type)
  const names = [
    nameOf(control, roleOf(control) || 'button', options).text,
    isElement(control) ? (native.innerText(control) ?? native.textContent(control)) : '',
    // `innerText` is empty for an element that is shown on hover only.
    native.checkVisibility(control, { visibilityProperty: true })
      ? ''
      : native.textContent(control),
    drawnText(control),
    native.getAttribute(control, 'aria-label') ?? '',
    native.getAttribute(control, 'title') ?? '',
    value ? control.value : '',
  ]
  return [...new Set(names.map((name) => cleanText(name)).filter(Boolean))]
}

function firstOf<Item>(items: readonly Item[], read: (item: Item) => string | null): string | null {
  for (const item of items) {
    const found = read(item)
    if (found) return found
  }
  return null
}
