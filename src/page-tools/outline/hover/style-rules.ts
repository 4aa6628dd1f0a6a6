import { viewOf } from '../../dom.ts'
import * as native from '../../native.ts'
import * as nativeDocument from '../../native-document.ts'

// Reads selectors as text, to find the part of each that needs the pointer or the focus.

const DYNAMIC = /(?<!\\):(?:hover|focus-within|focus-visible|focus)(?![\w-])/g
/** Matches everything, wherever a pseudo-class may stand. */
const ALWAYS = ':not(x-offstage-none)'
const WITH_SELECTORS = /^:(is|where|not|matches|-webkit-any|-moz-any)\($/

/** The selectors of a list: `a:is(b, c), d` are two. */
export function selectorsOf(list: string): readonly string[] {
  const selectors: string[] = []
  let start = 0
  for (const { at, character } of charactersOutsideBrackets(list)) {
    if (character !== ',') continue
    selectors.push(list.slice(start, at).trim())
    start = at + 1
  }
  return [...selectors, list.slice(start).trim()].filter(Boolean)
}

/**
 * Rewrites a selector as if the pointer, or the focus, were where it needs them: `.row:hover .menu` then matches like
 * `.row .menu`. Changes only the parts around the element itself: an element that isn't displayed can't be pointed at.
 */
export function asHovered(selector: string): string {
  const [ancestors, subject] = splitSubject(selector)
  return ancestors.replace(DYNAMIC, ALWAYS) + rewriteSubject(subject)
}

/** Whether the selector depends on the pointer or the focus. */
export function isDynamic(selector: string): boolean {
  return selector.search(DYNAMIC) >= 0
}

/** Splits off the last part, which describes the element itself. */
function splitSubject(selector: string): readonly [string, string] {
  let start = 0
  for (const { at, character } of charactersOutsideBrackets(selector))
    if (/[\s>+~]/.test(character)) start = at + 1
  return [selector.slice(0, start), selector.slice(start)]
}

function rewriteSubject(subject: string): string {
  let text = ''
  let start = 0
  for (const { from, open, close } of findPseudoClassCalls(subject)) {
    if (!WITH_SELECTORS.test(subject.slice(from, open + 1))) continue
    const inner = selectorsOf(subject.slice(open + 1, close))
      .map(asHovered)
      .join(', ')
    text += `${subject.slice(start, open + 1)}${inner})`
    start = close + 1
  }
  return text + subject.slice(start)
}

interface PseudoClassCall {
  /** Indexes of the call's colon, its opening bracket and its closing bracket. */
  readonly from: number
  readonly open: number
  readonly close: number
}

/** The outermost pseudo-classes with arguments. */
function findPseudoClassCalls(compound: string): readonly PseudoClassCall[] {
  const found: PseudoClassCall[] = []
  let end = -1
  for (const match of compound.matchAll(/(?<!\\)::?[\w-]+\(/g)) {
    if (match.index < end) continue
    const open = match.index + match[0].length - 1
    end = findClosingBracket(compound, open)
    found.push({ from: match.index, open, close: end })
  }
  return found
}

function findClosingBracket(text: string, open: number): number {
  let depth = 0
  for (const { at, character } of characters(text)) {
    if (at < open) continue
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth === 0) return at
  }
  return text.length
}

interface Character {
  readonly at: number
  readonly character: string
}

/** Characters that are neither in a string nor escaped. */
function* characters(text: string): Generator<Character> {
  let quote = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '\\') at += 1
    else if (quote) quote = character === quote ? '' : quote
    else if (character === '"' || character === "'") quote = character
    else yield { at, character }
  }
}

function* charactersOutsideBrackets(text: string): Generator<Character> {
  let depth = 0
  for (const item of characters(text)) {
    if (/[([]/.test(item.character)) depth += 1
    else if (/[)\]]/.test(item.character)) depth -= 1
    else if (depth === 0) yield item
  }
}

export type Tree = Document | ShadowRoot

/** Styles that a rule sets for the elements that its selectors match. */
export interface StyleRule {
  readonly selectors: string
  readonly style: CSSStyleDeclaration
  readonly isLayered: boolean
  /** The rule depends on a condition that can't be checked here: a container or a scope. */
  readonly isConditional: boolean
}

export interface StyleRules {
  /** Rules in the order of the style sheets. */
  readonly rules: readonly StyleRule[]
  /** False if a style sheet can't be read: it has another origin, or isn't loaded yet. */
  readonly isWhole: boolean
}

interface AnyRule {
  readonly style?: CSSStyleDeclaration
  readonly selectorText?: string
  readonly cssRules?: CSSRuleList
  readonly media?: MediaList
  readonly conditionText?: string
  readonly layerName?: string | null
  readonly styleSheet?: CSSStyleSheet | null
}

interface RuleContext {
  readonly parent: string | null
  readonly isLayered: boolean
  readonly isConditional: boolean
}

/** All rules of a tree that apply in its window now. Leaves out rules of other trees. */
export function readRules(tree: Tree): StyleRules {
  const view = viewOf(tree)
  const reader = new Reader(view)
  for (const sheet of getSheets(tree)) reader.readSheet(sheet, OUTERMOST)
  return reader.result()
}

/** Fingerprint of a tree's rules: its style sheets with their numbers of rules, and the width of the window. */
export type RulesMark = readonly unknown[]

/** Equal as long as the tree has the same style sheets with the same numbers of rules. */
export function rulesMark(tree: Tree): RulesMark {
  const sizes = getSheets(tree).flatMap((sheet) => {
    try {
      return [sheet, sheet.disabled, sheet.cssRules.length]
    } catch {
      return [sheet, sheet.disabled, null]
    }
  })
  return [viewOf(tree).innerWidth, ...sizes]
}

export function isSameMark(first: RulesMark, second: RulesMark): boolean {
  return first.length === second.length && first.every((part, index) => part === second[index])
}

const OUTERMOST: RuleContext = { parent: null, isLayered: false, isConditional: false }

function getSheets(tree: Tree): readonly CSSStyleSheet[] {
  return native.nodeType(tree) === 9
    ? [
        ...nativeDocument.styleSheets(tree as Document),
        ...nativeDocument.adoptedStyleSheets(tree as Document),
      ]
    : [...tree.styleSheets, ...tree.adoptedStyleSheets]
}

class Reader {
  readonly #view: Window & typeof globalThis
  readonly #rules: StyleRule[] = []
  #isWhole = true

  constructor(view: Window & typeof globalThis) {
    this.#view = view
  }

  result(): StyleRules {
    return { rules: this.#rules, isWhole: this.#isWhole }
  }

  readSheet(sheet: CSSStyleSheet, context: RuleContext): void {
    if (sheet.disabled || !this.#isMatching(sheet.media)) return
    try {
      this.#readRules(sheet.cssRules, context)
    } catch {
      this.#isWhole = false
    }
  }

  #readRules(rules: CSSRuleList, context: RuleContext): void {
    for (const rule of rules) this.#readRule(getRuleType(rule), rule as AnyRule, context)
  }

  #readRule(kind: string, rule: AnyRule, context: RuleContext): void {
    const { cssRules } = rule
    switch (kind) {
      case 'CSSStyleRule':
        return this.#readStyle(rule, context)
      case 'CSSNestedDeclarations':
        if (context.parent !== null) this.#add(context.parent, rule, context)
        return
      case 'CSSMediaRule':
        if (cssRules && this.#isMatching(rule.media)) this.#readRules(cssRules, context)
        return
      case 'CSSSupportsRule':
        if (cssRules && this.#view.CSS.supports(rule.conditionText ?? ''))
          this.#readRules(cssRules, context)
        return
      case 'CSSContainerRule':
      case 'CSSScopeRule':
        if (cssRules) this.#readRules(cssRules, { ...context, isConditional: true })
        return
      case 'CSSLayerBlockRule':
        if (cssRules) this.#readRules(cssRules, { ...context, isLayered: true })
        return
      case 'CSSImportRule':
        return this.#readImport(rule, context)
      default:
      // Fonts, keyframes and the like set nothing for elements.
    }
  }

  #readStyle(rule: AnyRule, context: RuleContext): void {
    const selectors = resolveNesting(rule.selectorText ?? '', context.parent)
    this.#add(selectors, rule, context)
    const { cssRules } = rule
    if (cssRules && cssRules.length > 0)
      this.#readRules(cssRules, { ...context, parent: selectors })
  }

  #readImport({ styleSheet, media, layerName }: AnyRule, context: RuleContext): void {
    if (!this.#isMatching(media)) return
    if (!styleSheet) this.#isWhole = false
    else
      this.readSheet(styleSheet, {
        ...context,
        isLayered: context.isLayered || typeof layerName === 'string',
      })
  }

  #add(selectors: string, { style }: AnyRule, { isLayered, isConditional }: RuleContext): void {
    if (style && style.length > 0) this.#rules.push({ selectors, style, isLayered, isConditional })
  }

  #isMatching(media: MediaList | undefined): boolean {
    return !media || media.length === 0 || this.#view.matchMedia(media.mediaText).matches
  }
}

function getRuleType(rule: CSSRule): string {
  return Object.prototype.toString.call(rule).slice('[object '.length, -1)
}

/** Resolves a nested selector with its parent. */
function resolveNesting(selectors: string, parent: string | null): string {
  if (parent === null) return selectors
  const parentSelector = `:is(${parent})`
  return selectorsOf(selectors)
    .map((item) =>
      item.includes('&') ? item.replaceAll('&', parentSelector) : `${parentSelector} ${item}`,
    )
    .join(', ')
}
