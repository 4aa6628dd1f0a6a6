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

/** What is done to an element, as far as it says whether that commits a person to something. */
export interface Doing {
  readonly action: PageAction
  /** Of what is chosen in a menu: its labels. */
  readonly labels?: readonly string[]
  /** Of a key press. */
  readonly key?: string
  /** Text is typed before: into the field in the element. */
  readonly typed?: boolean
  /** Of a click that only opens a menu. */
  readonly opens?: boolean
}

export const LEAVES = 'leads to another site'
const SUBMITS = 'submits a form'
/** Elements at whose use the page submitted a form by a script. */
const posters = new WeakSet<Element>()

/** Called when a use of the elements had the page submit a form that no markup tells of. */
export function rememberPost(elements: readonly Element[]): string {
  for (const element of elements) posters.add(element)
  return SUBMITS
}

/**
 * The effect that an action has for the person, in words for them, such as `has an effect ("pay")`; empty for what is
 * never asked about: opening, typing, filtering. A form that is submitted by POST has one, whatever its button is called;
 * so does an address that acts. All else is told by a short list of words.
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

/** A form without an action has the address of the page itself. */
function wordOfAddress(url: URL, used: Element): string | null {
  return withoutHash(url.href) === pageOf(used) ? null : readAddress(url)
}

/** What an Enter goes to that follows a text. */
export function usedBy(element: Element, { action, typed }: Doing): Element {
  return typed && action === 'enter' ? typedInto(element) : element
}

/** Undefined: nothing is activated by it. */
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
/** With modifiers, too. */
const DELETING = /(?:^|\+)\s*(?:delete|del|backspace)\s*$/i

/** A menu's labels say it, wherever its items are; a list may hold what does something, too. */
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

/** Enter sends the form, or a script takes it for a press of the button beside the field. */
function commitOfEnter(element: Element, options: PageOptions): string | null {
  const own = activated(element, 'enter').filter((one) => one !== element || !isEditable(one))
  const found = firstOf(own, (one) => commitOfControl(one, options))
  if (found) return found
  const form = defaultButtonOf(element) ? null : formSubmittedBy(element, 'activate')
  if (isSearch(element, form)) return null
  // Nothing but the title says what is sent by it.
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

/** Of what has no name, its icon says what it does. */
function iconOf(control: Element, names: readonly string[]): string | null {
  return /^(button|link|img|image|menuitem)?$/.test(roleOf(control))
    ? iconCommit(control, names)
    : null
}

function hasLetters(name: string): boolean {
  return /\p{L}/u.test(name)
}

/** Only a menu, a dialog or more of the page. */
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

/** A search says so, or that its result has an address: nothing is changed by it. */
function isSearch(control: Element, form: HTMLFormElement | null): boolean {
  if (closest(control, 'search,[role=search]')) return true
  return form !== null && native.getAttribute(form, 'method')?.toLowerCase() === 'get'
}

function isToggle(element: Element): boolean {
  return roleOf(element) === 'switch' || native.hasAttribute(element, 'aria-pressed')
}

const ITEMS = '[role=row],[role=listitem],[role=option],tr,li,article,label'

/** A name is one of an action: not a headline that leads to its article, or what is on a list of things to do. */
function mayCommit(control: Element, name: string): boolean {
  const role = roleOf(control)
  const words = name.split(/\s+/).length
  if (/^(button|switch|menuitem)/.test(role)) return true
  if (role === 'tab' || role === 'option') return standsAlone(control)
  if (role === 'link') return mayLinkCommit(control, name, words)
  if (!/^(img|image)?$/.test(role) || (isTag(control, 'label') && control.control)) return false
  return words <= (closest(control, ITEMS) ? 1 : 4)
}

/** A tab that shows no panel, and an option that is no choice of a list, are buttons. */
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
/** A footer in one of these is not the page's. */
const PARTS = 'dialog,[role=dialog],[role=alertdialog],form,article,section,main,[role=main],tr,li'
/** What a page is about to which a link leads: "Send money guide", "Delete a user", `delete()`. */
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

/** A mark on this page, with a name; without one, a script's button has it. */
function leadsToPart(link: Element): boolean {
  return /^#./.test(native.getAttribute(link, 'href') ?? '')
}

/** Whether the link has an address of its own: a script's button has none, or a mark on this page. */
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

/** All that a control is called, for those who see it and for those who don't. */
function namesOf(control: Element, options: PageOptions): readonly string[] {
  const value = isTag(control, 'input') && /^(submit|button|reset)$/.test(control.type)
  const names = [
    nameOf(control, roleOf(control) || 'button', options).text,
    isElement(control) ? (native.innerText(control) ?? native.textContent(control)) : '',
    // Of what is shown on hover only, nothing is rendered yet.
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
