// Runs in the page, one bundle for each library: what a bench asks of a reader of pages.

/** What a person can operate: by HTML, by ARIA role, by the keyboard. */
const INTERACTIVE = [
  'a[href]',
  'area[href]',
  'button',
  'input:not([type=hidden])',
  'select',
  'textarea',
  'summary',
  '[contenteditable]:not([contenteditable=false])',
  '[onclick]',
  '[tabindex]:not([tabindex^="-"])',
  ...'button,link,checkbox,radio,switch,slider,spinbutton,combobox,listbox,option,menuitem,menuitemcheckbox,menuitemradio,tab,treeitem,textbox,searchbox'
    .split(',')
    .map((role) => `[role=${role}]`),
].join()

/**
 * Lends a reader to the bench. `read` resolves to what a model would be given, `again` to what it would
 * be given after a change; `handles` gives the elements that the text just read has handles for.
 */
export function lend({ read, again = read, handles }) {
  globalThis.pageReader = {
    read,
    again,
    /** How many of the page's interactive elements a text that was just read shows. */
    shown(text) {
      const elements = interactive(document)
      const given = new Set(handles(text))
      return { shown: elements.filter(isShownBy(given, elements)).length, all: elements.length }
    },
  }
}

/** Those that are displayed, open shadow roots and frames of the same origin included. */
function interactive(root) {
  const found = []
  for (const element of root.querySelectorAll('*')) {
    if (element.matches(INTERACTIVE) && isDisplayed(element)) found.push(element)
    const inside = element.shadowRoot ?? element.contentDocument
    if (inside) found.push(...interactive(inside))
  }
  return found
}

function isDisplayed(element) {
  const { width, height } = element.getBoundingClientRect()
  return (
    width > 1 &&
    height > 1 &&
    element.checkVisibility({ visibilityProperty: true }) &&
    !element.closest('[inert], [aria-hidden=true]')
  )
}

/**
 * An element is shown when the text has a handle for it, for its label, or for one that is inside or
 * around it and stands for no other interactive element.
 */
function isShownBy(given, elements) {
  const inside = new Map()
  for (const element of elements)
    for (let at = parentOf(element); at; at = parentOf(at))
      inside.set(at, [...(inside.get(at) ?? []).slice(0, 2), element])
  const holdsAtMost = (count, element) => (inside.get(element) ?? []).length <= count
  const handlesAround = new Map()
  for (const handle of given)
    for (let at = handle; at; at = parentOf(at))
      if (!handlesAround.has(at)) handlesAround.set(at, handle)
  return (element) => {
    if (given.has(element)) return true
    for (const label of element.labels ?? []) if (given.has(label)) return true
    // One inside of it.
    if (handlesAround.has(element) && holdsAtMost(1, element)) return true
    for (let at = parentOf(element); at && holdsAtMost(1, at); at = parentOf(at))
      if (given.has(at)) return true
    return false
  }
}

function parentOf(node) {
  const { parentNode } = node
  if (parentNode instanceof ShadowRoot) return parentNode.host
  return parentNode?.nodeType === 9 ? (parentNode.defaultView?.frameElement ?? null) : parentNode
}
