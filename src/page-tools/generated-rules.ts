import * as nativeDocument from './native-document.ts'

/** `content` that has no words: none, or quotes, pictures, and strings of icons and blanks. */
const WITHOUT_WORDS =
  /^(?:(?:none|normal|initial|unset|(?:no-)?(?:open|close)-quote|url\((?:"[^"]*"|[^()"]*)\)|"[^"\\\p{L}\p{N}]*")\s*)*$/u

/**
 * Whether a style of the document may write words beside the content of elements: true unless all rules can be
 * read, and none does. Of elements that belong to the document alone: no shadow roots, nothing slotted.
 */
export function mayWriteWords(document: Document): boolean {
  try {
    const sheets = [
      ...nativeDocument.styleSheets(document),
      ...nativeDocument.adoptedStyleSheets(document),
    ]
    return sheets.some(({ cssRules }) => hasWords(cssRules)) || isAnimatedBeside(document)
  } catch {
    // A sheet of another origin, or one that isn't there yet.
    return true
  }
}

interface AnyRule {
  readonly style?: CSSStyleDeclaration
  readonly cssRules?: CSSRuleList
  /** Of an `@import`; null when it isn't loaded. */
  readonly styleSheet?: CSSStyleSheet | null
}

function hasWords(rules: CSSRuleList): boolean {
  for (const rule of rules as Iterable<AnyRule>) {
    const { style, cssRules, styleSheet } = rule
    if (style && (!WITHOUT_WORDS.test(style.content ?? '') || style.getPropertyValue('all')))
      return true
    if (styleSheet === null) return true
    if (cssRules && hasWords(cssRules)) return true
    if (styleSheet && hasWords(styleSheet.cssRules)) return true
  }
  return false
}

/** A script may animate the content of what stands beside an element. */
function isAnimatedBeside(document: Document): boolean {
  return nativeDocument
    .getAnimations(document)
    .some(({ effect }) => effect && 'pseudoElement' in effect && effect.pseudoElement !== null)
}
