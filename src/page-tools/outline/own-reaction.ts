import { isText } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'

interface AnyRule {
  readonly style?: CSSStyleDeclaration
  readonly selectorText?: string
  readonly cssRules?: CSSRuleList
}

interface Known {
  readonly rules: number
  readonly selector: string
  /** Selector of elements that get the pointer cursor only on hover. */
  readonly onHover: string
  /** When the rules were counted. */
  at: number
}

/** Selectors from the rules of each tree, valid while the number of rules is the same. */
const known = new WeakMap<Document | ShadowRoot, Known>()
/** How long the rules aren't counted again. Milliseconds. */
const FRESH_MS = 50
/** A rule for everything in an element says nothing about one part of it. */
const OF_ALL = /\*\s*$|&|::/
const HOVER = ':hover'
const NEVER = ':not(*)'

/**
 * Whether a style gives the element itself the pointer cursor, which its content inherits. This identifies a button
 * within a larger click target.
 */
function hasOwnPointer(element: Element): boolean {
  if (/cursor:\s*pointer/.test(native.getAttribute(element, 'style') ?? '')) return true
  if (native.getAttribute(element, 'cursor') === 'pointer') return true
  return native.matches(element, pointerSelector(native.getRootNode(element)))
}

/** Whether a style gives the element the pointer cursor on hover, as some libraries do for their menus. */
export function getsPointerOnHover(element: Element): boolean {
  const selector = rulesFor(native.getRootNode(element))?.onHover ?? NEVER
  return selector !== NEVER && native.matches(element, selector)
}

/** Selector of elements that styles give the pointer cursor. Matches nothing if the tree's rules can't be read. */
export function pointerSelector(root: Node): string {
  return rulesFor(root)?.selector ?? NEVER
}

function rulesFor(root: Node): Known | null {
  const type = native.nodeType(root)
  if (type !== 9 && type !== 11) return null
  const tree = root as Document | ShadowRoot
  const before = known.get(tree)
  const at = performance.now()
  if (before && at - before.at < FRESH_MS) return before
  const sheets = sheetsOf(tree)
  const rules = sheets.reduce((sum, list) => sum + list.length, 0)
  if (before?.rules === rules) {
    before.at = at
    return before
  }
  const selectors = sheets.flatMap(selectorsIn)
  const hovered = selectors.filter((one) => one.includes(HOVER))
  const found = {
    rules,
    selector: validSelector(selectors, tree),
    onHover: validSelector(
      hovered.map((one) => one.replaceAll(HOVER, '')),
      tree,
    ),
    at,
  }
  known.set(tree, found)
  return found
}

function sheetsOf(tree: Document | ShadowRoot): readonly CSSRuleList[] {
  const isDocument = native.nodeType(tree) === 9
  const sheets = isDocument
    ? [
        ...nativeDocument.styleSheets(tree as Document),
        ...nativeDocument.adoptedStyleSheets(tree as Document),
      ]
    : [...tree.styleSheets, ...tree.adoptedStyleSheets]
  return sheets.flatMap((sheet) => {
    try {
      return [sheet.cssRules]
    } catch {
      // Sheets of another origin can't be read.
      return []
    }
  })
}

function selectorsIn(rules: CSSRuleList): readonly string[] {
  const found: string[] = []
  for (const { style, selectorText, cssRules } of rules as Iterable<AnyRule>) {
    if (selectorText && style?.cursor === 'pointer' && !OF_ALL.test(selectorText))
      found.push(selectorText)
    if (cssRules && cssRules.length > 0) found.push(...selectorsIn(cssRules))
  }
  return found
}

function validSelector(selectors: readonly string[], tree: Document | ShadowRoot): string {
  const valid = selectors.filter((one) => {
    try {
      native.querySelector(tree, one)
      return true
    } catch {
      return false
    }
  })
  return valid.join(',') || NEVER
}

/** Whether an element within a larger click target reacts to a click by itself, judging by its markup and style. */
export function reactsItself(element: Element): boolean {
  return (
    native.hasAttribute(element, 'onclick') ||
    isTabStop(element) ||
    (native.hasAttributes(element) && hasOwnPointer(element))
  )
}

/**
 * Whether the author made it a tab stop. Elements without content and size don't count: they only pass the focus on.
 */
export function isTabStop(element: Element): boolean {
  if (Number(native.getAttribute(element, 'tabindex') ?? -1) < 0) return false
  if (native.firstChild(element) !== null) return true
  const { width, height } = native.getBoundingClientRect(element)
  return width > 1 && height > 1
}

const INNER = 'text,a,[role],[tabindex],[onclick],[cursor],[style*="cursor"]'

/** Whether a drawing has parts to read or to click. */
export function hasParts(drawing: Element): boolean {
  const clickable = pointerSelector(native.getRootNode(drawing))
  return native.querySelector(drawing, `${INNER},${clickable}`) !== null
}

/** Signs of step buttons, each with the sign of the button beside it. */
const SIGNS: Readonly<Record<string, string>> = {
  '-': '+',
  '−': '+',
  '–': '+',
  '‹': '›',
  '«': '»',
  '<': '>',
  '◀': '▶',
  '◂': '▸',
  '←': '→',
  '▲': '▼',
  '▴': '▾',
  '↑': '↓',
}

/** Whether its whole text is a sign of a pair, such as `-` and `+`, with the other sign beside it. */
export function isStepSign(element: Element): boolean {
  const text = onlyText(element)
  if (text === null) return false
  const parent = native.parentElement(element)
  const others = parent ? [...native.children(parent)].map(onlyText) : []
  return SIGNS[text] !== undefined
    ? others.includes(SIGNS[text])
    : others.some((other) => other !== null && SIGNS[other] === text)
}

function onlyText(element: Element): string | null {
  const node = native.firstChild(element)
  if (!isText(node) || !node || native.nextSibling(node)) return null
  const text = native.nodeValue(node) ?? ''
  return text.length <= 3 ? text.trim() : null
}
