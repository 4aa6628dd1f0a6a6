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
 * Exposes a reader to the bench. `read` resolves to what a model would be given, `again` to what it would
 * be given after a change; `handles` gives the elements that the text just read has handles for.
 */
export function exposeReader({ read, again = read, handles }) {
  globalThis.pageReader = {
    read,
    again,
    /** How many of the page's interactive elements a text that was just read shows. */
    shown(text) {
      const elements = interactive(document)
      const handled = new Set(handles(text))
      return { shown: elements.filter(isShownBy(handled, elements)).length, all: elements.length }
    },
  }
}

/** Those that are displayed, open shadow roots and frames of the same origin included. */
function interactive(root) {
  const found = []
  for (const element of root.querySelectorAll('*')) {
    if (element.matches(INTERACTIVE) && isDisplayed(element)) found.push(element)
    const nestedRoot = element.shadowRoot ?? element.contentDocument
    if (nestedRoot) found.push(...interactive(nestedRoot))
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
function isShownBy(handled, elements) {
  const interactiveInside = new Map()
  for (const element of elements)
    for (let ancestor = parentOf(element); ancestor; ancestor = parentOf(ancestor))
      interactiveInside.set(ancestor, [
        ...(interactiveInside.get(ancestor) ?? []).slice(0, 2),
        element,
      ])
  const holdsAtMost = (count, element) => (interactiveInside.get(element) ?? []).length <= count
  const handlesAround = new Map()
  for (const handle of handled)
    for (let ancestor = handle; ancestor; ancestor = parentOf(ancestor))
      if (!handlesAround.has(ancestor)) handlesAround.set(ancestor, handle)
  return (element) => {
    if (handled.has(element)) return true
    for (const label of element.labels ?? []) if (handled.has(label)) return true
    // One inside of it.
    if (handlesAround.has(element) && holdsAtMost(1, element)) return true
    for (
      let ancestor = parentOf(element);
      ancestor && holdsAtMost(1, ancestor);
      ancestor = parentOf(ancestor)
    )
      if (handled.has(ancestor)) return true
    return false
  }
}

function parentOf(node) {
  const { parentNode } = node
  if (parentNode instanceof ShadowRoot) return parentNode.host
  return parentNode?.nodeType === 9 ? (parentNode.defaultView?.frameElement ?? null) : parentNode
}
