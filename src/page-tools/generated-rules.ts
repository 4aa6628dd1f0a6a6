import * as nativeDocument from './native-document.ts'

/** Values of `content` without words: none, or quotes, pictures, and strings of icons and blanks. */
const WITHOUT_WORDS =
  /^(?:(?:none|normal|initial|unset|(?:no-)?(?:open|close)-quote|url\((?:"[^"]*"|[^()"]*)\)|"[^"\\\p{L}\p{N}]*")\s*)*$/u

/**
 * Whether a style of the document may write words before or after the content of elements. True unless all rules can be
 * read, and none does. Only valid for elements of the document itself, not for shadow roots or slotted elements.
 */
export function mayWriteWords(document: Document): boolean {
  try {
    const sheets = [
      ...nativeDocument.styleSheets(document),
      ...nativeDocument.adoptedStyleSheets(document),
    ]
    return sheets.some(({ cssRules }) => hasWords(cssRules)) || isAnimatedBeside(document)
  } catch {
    // A sheet of another origin, or one that isn't loaded yet, can't be read.
    return true
  }
}

interface AnyRule {
  readonly style?: CSSStyleDeclaration
  readonly cssRules?: CSSRuleList
  /** Sheet of an `@import`. Null: not loaded. */
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

/** Whether a script animates a pseudo-element, and so may change its content. */
function isAnimatedBeside(document: Document): boolean {
  return nativeDocument
    .getAnimations(document)
    .some(({ effect }) => effect && 'pseudoElement' in effect && effect.pseudoElement !== null)
}
