import { ancestorsOf, isTag, getParent, viewOf } from '../../dom.ts'
import * as native from '../../native.ts'
import {
  type Tree,
  asHovered,
  isDynamic,
  isSameMark,
  readRules,
  type RulesMark,
  rulesMark,
  selectorsOf,
  type StyleRule,
  type StyleRules,
} from './style-rules.ts'
import type { Visibility } from '../visibility.ts'
import { isActionable } from '../role.ts'
import * as nativeDocument from '../../native-document.ts'
import { once } from '../../../lib/once.ts'

/** Visibility of an element, including what a style shows of it on hover. */
export interface Appearance {
  readonly visibility: Visibility
  readonly hoverHiding: HoverHiding | null
}

/**
 * `inherited`: how the element's surroundings are hidden until hover. Reads style rules only for hidden elements that
 * hold controls.
 */
export function appearanceOf(
  element: Element,
  visibility: Visibility,
  inherited: HoverHiding | null,
): Appearance {
  const isHidden = visibility.excluded || visibility.invisible || visibility.visuallyHidden
  if (!isHidden) return { visibility, hoverHiding: inherited }
  const mayShow = visibility.excluded
    ? visibility.mayAppear && (inherited !== null || canShowOnHover(element))
    : inherited !== null || canShowOnHover(element)
  const ownHiding = mayShow ? getOwnHiding(element) : null
  if (ownHiding)
    return {
      visibility: toShownVisibility(element, visibility),
      hoverHiding: getStrongest(inherited, ownHiding),
    }
  // An element that is hidden in another way, too, stays hidden on hover.
  return inherited === null || visibility.excluded || visibility.invisible
    ? { visibility, hoverHiding: null }
    : { visibility: { ...visibility, excluded: true, mayAppear: false }, hoverHiding: null }
}

function toShownVisibility(
  element: Element,
  { fixed, hasNoAttributes, style }: Visibility,
): Visibility {
  return {
    excluded: false,
    mayAppear: true,
    invisible: false,
    visuallyHidden: true,
    fixed,
    hasNoAttributes,
    style: style ?? viewOf(element).getComputedStyle(element),
  }
}

function getStrongest(inherited: HoverHiding | null, ownHiding: HoverHiding): HoverHiding {
  return inherited === 'unrendered' || ownHiding === 'unrendered'
    ? 'unrendered'
    : (inherited ?? ownHiding)
}

/** Whether nothing of an element is drawn before hover. The outline then shows its controls, but not its texts. */
export function isUnseenUntilHover(onHover: HoverHiding | null): boolean {
  return onHover === 'unrendered' || onHover === 'invisible'
}

const STRUCTURE_ROLES =
  /^(list|listitem|menu|menubar|group|radiogroup|toolbar|tablist|tree|table|row|cell|grid|navigation|dialog|tabpanel|form|search)$/

/**
 * The role of an element hidden until hover. Kept for controls and for parts that hold them. If empty, the element gets
 * no line of its own.
 */
export function roleUntilHover(role: string, onHover: HoverHiding | null): string {
  return !isUnseenUntilHover(onHover) || isActionable(role) || STRUCTURE_ROLES.test(role)
    ? role
    : ''
}

/**
 * How a style hides an element until the pointer, or the focus, is in its surroundings. The element isn't rendered, is
 * rendered but not painted, or can't be seen by anybody.
 */
export type HoverHiding = 'unrendered' | 'invisible' | 'unseen'

const CONTROLS =
  'a[href],button,input:not([type=hidden]),select,textarea,summary,[role],[tabindex],[onclick]'
/** Elements that the markup hides: they stay hidden on hover. */
const EXCLUDED = '[aria-hidden="true"],[inert],[hidden=until-found],[data-offstage-ignore]'

/** Whether the outline may show a hidden part on hover: it holds a control, and a rule may show it. */
function canShowOnHover(part: Element): boolean {
  const { mayShow } = getStyles(part)
  return (
    mayShow !== null &&
    native.matches(part, mayShow) &&
    (native.matches(part, CONTROLS) || native.querySelector(part, CONTROLS) !== null)
  )
}

/** How the element's own style hides it until hover. Null if it is visible, or stays hidden. */
function getOwnHiding(element: Element): HoverHiding | null {
  const hiding = getHidingProperties(element)
  if (hiding.length === 0 || !hiding.every((candidate) => isShownOnHover(element, candidate)))
    return null
  if (hiding.includes('display')) return 'unrendered'
  return hiding.includes('visibility') ? 'invisible' : 'unseen'
}

/**
 * How the element or its surroundings are hidden until hover. If there are several ways, returns the strongest. Null if
 * all are visible, or some stay hidden.
 */
export function hiddenUntilHover(element: Element): HoverHiding | null {
  let found: HoverHiding | null = null
  for (const current of [element, ...ancestorsOf(element)]) {
    if (native.matches(current, EXCLUDED)) return null
    const hiding = getHidingProperties(current)
    if (hiding.length === 0) continue
    const ownHiding = getOwnHiding(current)
    if (!ownHiding) return null
    found =
      found === 'unrendered' || ownHiding === 'unrendered' ? 'unrendered' : (found ?? ownHiding)
  }
  return found
}

/** Whether an element becomes visible once a style shows its surroundings on hover. */
export function becomesVisible(element: Element): boolean {
  const { visibility } = viewOf(element).getComputedStyle(element)
  if (!hides('visibility', visibility)) return true
  const winner = getStyles(element).winnerOf(element, 'visibility')
  if (winner && winner.value !== 'inherit')
    return winner.isOnHover && !hides('visibility', winner.value)
  const parent = getParent(element)
  return parent !== null && becomesVisible(parent)
}

/** Whether styles may show something in or beside an element on hover. Also true if some rules can't be read. */
export function mayDependOnHover(element: Element): boolean {
  const { mayShow, isWhole } = getStyles(element)
  if (!isWhole) return true
  const parent = native.parentElement(element)
  const container = parent && !isTag(parent, 'body') ? parent : element
  return (
    mayShow !== null &&
    [element, ...native.querySelectorAll(container, mayShow)].some(
      (candidate) =>
        native.matches(candidate, mayShow) && getHidingProperties(candidate).length > 0,
    )
  )
}

const LIMITED = new Set<HidingProperty>(['height', 'width'])

function isShownOnHover(element: Element, property: HidingProperty): boolean {
  if (property === 'visibility') return becomesVisible(element)
  const { mayShow, winnerOf } = getStyles(element)
  if (mayShow === null || !native.matches(element, mayShow)) return false
  const winner = winnerOf(element, property)
  // No rule sets a size that only `max-width` or `max-height` reduces to nothing: check that limit.
  if (!winner)
    return LIMITED.has(property) && isShownOnHover(element, `max-${property}` as HidingProperty)
  return winner.isOnHover && !hides(property, winner.value)
}

/** Returns the properties that hide the element itself, rather than an ancestor. */
function getHidingProperties(element: Element): readonly HidingProperty[] {
  const style = viewOf(element).getComputedStyle(element)
  const found: HidingProperty[] = []
  const addIfHiding = (...properties: HidingProperty[]): void => {
    for (const property of properties)
      if (hides(property, style.getPropertyValue(property))) found.push(property)
  }
  addIfHiding('display', 'visibility', 'opacity')
  if (/^(absolute|fixed)$/.test(style.position)) addIfHiding('clip', 'left', 'top', 'right')
  if (style.clipPath !== 'none') addIfHiding('clip-path')
  // Skips the page itself, which is as large as its window or frame.
  if (style.overflow !== 'visible' && !isTag(element, 'body') && !isTag(element, 'html'))
    addIfHiding('height', 'max-height', 'width', 'max-width')
  return found
}

function getStyles(element: Element): HoverStyles {
  return stylesIn(native.getRootNode(element))
}

/** Styles of a document or shadow root. The root of a detached element has none. */
export function stylesIn(root: Node): HoverStyles {
  return native.nodeType(root) === 1 ? NO_STYLES : hoverStyles(root as Tree)
}

/** Selector that matches nothing. */
const NEVER = ':not(*)'
const NO_STYLES: HoverStyles = {
  mayShow: null,
  isWhole: true,
  pointer: NEVER,
  pointerOnHover: NEVER,
  winnerOf: () => null,
}

export type HidingProperty =
  | 'display'
  | 'visibility'
  | 'opacity'
  | 'clip'
  | 'clip-path'
  | 'height'
  | 'max-height'
  | 'width'
  | 'max-width'
  | 'left'
  | 'top'
  | 'right'

/**
 * CSS properties that can hide an element until hover, each with a test for its hiding values. Others are ignored.
 */
const HIDING: Readonly<Record<HidingProperty, (value: string) => boolean>> = {
  display: (value) => value === 'none',
  visibility: (value) => value === 'hidden' || value === 'collapse',
  opacity: (value) => parseNumber(value) <= FAINT,
  clip: (value) => /^rect\((?:[01](?:px)?[, ]*){4}\)$/.test(value),
  'clip-path': (value) => /^(?:inset\((?:50|100)%|circle\(0)/.test(value),
  height: isNothing,
  'max-height': isNothing,
  width: isNothing,
  'max-width': isNothing,
  left: isFar,
  top: isFar,
  right: isFar,
}

const HIDING_PROPERTIES: readonly HidingProperty[] = Object.keys(HIDING) as HidingProperty[]

const FAINT = 0.05
const FAR_PX = -999
const PIXELS_PER: Readonly<Record<string, number>> = { px: 1, em: 16, rem: 16, vw: 10, '%': 10 }
/** Values that say nothing by themselves: a variable may be anything, and an inherited value depends on the parent. */
const UNKNOWN = /var\(|env\(|^(?:inherit|unset|revert|revert-layer)$/

/** Whether the value hides. An unknown value counts as hiding. */
function hides(property: HidingProperty, value: string): boolean {
  return UNKNOWN.test(value) || HIDING[property](value.trim())
}

function parseNumber(value: string): number {
  return Number.parseFloat(value) / (value.endsWith('%') ? 100 : 1)
}

function isNothing(value: string): boolean {
  return /^[01](?:\.\d+)?(?:px|r?em|%)?$/.test(value) && Number.parseFloat(value) <= 1
}

function isFar(value: string): boolean {
  const [, number = '0', unit = ''] = /^(-?[\d.]+)(px|r?em|vw|%)$/.exec(value) ?? []
  return Number(number) * (PIXELS_PER[unit] ?? 0) < FAR_PX
}

/** A value that a tree's styles may give to elements. */
interface Declared {
  /**
   * The selector as it matches now, and as it would match with the pointer where `:hover` needs it. Both are equal if
   * the selector doesn't depend on the pointer.
   */
  readonly selector: string
  readonly hovered: string
  readonly weight: number
  readonly rule: StyleRule
}

/** The winning value, and whether it depends on the pointer or the focus. */
export interface Winner {
  readonly value: string
  readonly isOnHover: boolean
}

export interface HoverStyles {
  /** Selector of the elements that a rule may show on hover. Null if there is none. */
  readonly mayShow: string | null
  readonly isWhole: boolean
  /** Selectors of the elements that get the pointer cursor: always, and on hover only. */
  readonly pointer: string
  readonly pointerOnHover: string
  /**
   * The value that an element has on hover, by the rules of this tree and its own `style`. Null if nothing sets the
   * property.
   */
  winnerOf(element: Element, property: HidingProperty): Winner | null
}

interface CachedStyles {
  readonly mark: RulesMark
  readonly styles: HoverStyles
  /** Time when the rules were counted. */
  at: number
}

const cachedStyles = new WeakMap<Tree, CachedStyles>()
/** How long counted rules are reused within one reading. Milliseconds. */
const FRESH_MS = 100
let readingSince = -Infinity

/** Begins a new reading, which notices changed rules. */
export function recountRules(): void {
  readingSince = performance.now()
}

function hoverStyles(tree: Tree): HoverStyles {
  const cached = cachedStyles.get(tree)
  const now = performance.now()
  if (cached && cached.at >= readingSince && now - cached.at < FRESH_MS) return cached.styles
  const mark = rulesMark(tree)
  if (cached && isSameMark(cached.mark, mark)) {
    cached.at = now
    return cached.styles
  }
  const styles = makeStyles(readRules(tree), tree)
  cachedStyles.set(tree, { mark, styles, at: now })
  return styles
}

function makeStyles({ rules, isWhole }: StyleRules, tree: Tree): HoverStyles {
  const declared = new Map<HidingProperty, readonly Declared[]>()
  const getDeclared = (property: HidingProperty): readonly Declared[] => {
    const found = declared.get(property) ?? declarations(rules, property, tree)
    declared.set(property, found)
    return found
  }
  const mayShow = once(() => findShownSelectors(rules, tree))
  const pointers = rules.flatMap(({ selectors, style }) =>
    style.cursor === 'pointer' && !ALL_ELEMENTS.test(selectors) ? selectors : [],
  )
  return {
    get mayShow() {
      return mayShow()
    },
    isWhole,
    pointer: joinValid(pointers, tree),
    pointerOnHover: joinValid(
      pointers
        .filter((candidate) => candidate.includes(HOVER))
        .map((item) => item.replaceAll(HOVER, '')),
      tree,
    ),
    winnerOf: (element, property) => findWinner(getDeclared(property), { element, property }),
  }
}

function findShownSelectors(rules: readonly StyleRule[], tree: Tree): string | null {
  const selectors = rules.flatMap((rule) =>
    isDynamic(rule.selectors) && HIDING_PROPERTIES.some((one) => rule.style.getPropertyValue(one))
      ? expandRule(rule, tree).flatMap(({ selector, hovered }) =>
          selector === hovered ? [] : [selector, hovered],
        )
      : [],
  )
  return selectors.join(', ') || null
}

/** A rule for everything in an element (`*`) says nothing about one of its parts. */
const ALL_ELEMENTS = /\*\s*$/
const HOVER = ':hover'

function joinValid(selectors: readonly string[], tree: Tree): string {
  return (
    selectors.filter((candidate) => isValid(candidate, getSomeElement(tree))).join(',') || NEVER
  )
}

function getSomeElement(tree: Tree): Element {
  return native.nodeType(tree) === 9
    ? nativeDocument.documentElement(tree as Document)
    : (tree as ShadowRoot).host
}

function declarations(
  rules: readonly StyleRule[],
  property: HidingProperty,
  tree: Tree,
): readonly Declared[] {
  return rules
    .filter(({ style }) => style.getPropertyValue(property))
    .flatMap((rule) => expandRule(rule, tree))
}

function expandRule(rule: StyleRule, tree: Tree): readonly Declared[] {
  const element = getSomeElement(tree)
  return selectorsOf(rule.selectors).flatMap((selector) => {
    const hovered = asHovered(selector)
    if (!isValid(selector, element) || !isValid(hovered, element)) return []
    return [{ selector, hovered, weight: getSpecificity(selector), rule }]
  })
}

/**
 * Whether the selector is valid. False for pseudo-elements, too, which match no element. Tries one element only:
 * searching a tree would take long.
 */
function isValid(selector: string, element: Element): boolean {
  if (selector.includes('::')) return false
  try {
    native.matches(element, selector)
    return true
  } catch {
    return false
  }
}

interface CascadeQuery {
  readonly element: Element
  readonly property: HidingProperty
}

/** The value that wins the cascade if the pointer or focus is where `:hover` or `:focus` in the selectors needs it. */
function findWinner(declared: readonly Declared[], query: CascadeQuery): Winner | null {
  const { element, property } = query
  let best: Ranked | null = null
  let stopsHiding = false
  for (const declaration of declared) {
    const value = declaration.rule.style.getPropertyValue(property)
    if (!native.matches(element, declaration.hovered)) {
      stopsHiding ||= hides(property, value) && native.matches(element, declaration.selector)
      continue
    }
    // A rule with an unknown condition may never apply, so it can't show anything.
    if (declaration.rule.isConditional && !hides(property, value)) continue
    const isImportant = declaration.rule.style.getPropertyPriority(property) === 'important'
    if (!best || isStronger({ entry: declaration, isImportant }, best))
      best = { entry: declaration, isImportant }
  }
  const isOnHover = stopsHiding || (best !== null && best.entry.selector !== best.entry.hovered)
  // A rule that hides the element only while the pointer is elsewhere leaves the initial value on hover.
  const value = best
    ? best.entry.rule.style.getPropertyValue(property)
    : stopsHiding
      ? 'initial'
      : null
  const winner = value === null ? null : { value, isOnHover }
  return applyOwnStyle(winner, best?.isImportant ?? false, query)
}

/** Applies the `style` attribute. An important rule beats it. */
function applyOwnStyle(
  best: Winner | null,
  isImportant: boolean,
  { element, property }: CascadeQuery,
): Winner | null {
  const { style } = element as Partial<ElementCSSInlineStyle>
  const value = style?.getPropertyValue(property)
  return !value || isImportant ? best : { value, isOnHover: false }
}

interface Ranked {
  readonly entry: Declared
  readonly isImportant: boolean
}

/**
 * Whether the first of two rules of one tree wins. The first comes later in the tree.
 * https://www.w3.org/TR/css-cascade-5/#cascade-sort
 */
function isStronger(first: Ranked, second: Ranked): boolean {
  const { isImportant } = first
  if (isImportant !== second.isImportant) return isImportant
  const [firstEntry, secondEntry] = [first.entry, second.entry]
  // Rules outside of cascade layers win, except for important rules, which lose.
  if (firstEntry.rule.isLayered !== secondEntry.rule.isLayered)
    return firstEntry.rule.isLayered === isImportant
  return firstEntry.weight >= secondEntry.weight
}

/**
 * How specific a selector is: ids, then classes and the like, then tags. A list in brackets counts with all of its
 * selectors, which is more than browsers count.
 */
function getSpecificity(selector: string): number {
  const count = (pattern: RegExp): number => selector.match(pattern)?.length ?? 0
  return count(/#/g) * 1e4 + count(/(?<!\\)[.:[]/g) * 100 + count(/(?<![\w.#:-])[a-z]/gi)
}
