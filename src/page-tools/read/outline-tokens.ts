import { addedTokens } from '../../lib/estimate-tokens.ts'

/**
 * Outline words that are one or two tokens each, although the general estimate counts them as rare. The same words
 * between the same signs in a page's text are as cheap.
 */
const KNOWN =
  /(?<=- )(?:textbox|checkbox|searchbox|navigation|region|search|toolbar)(?=[ :])|(?<=\[)(?:required|readonly)(?=\])|(?<=[ [])sr-only(?=\])/g
const SAVED = 1.5
const SAVED_BY_SR_ONLY = 3.5

/** Upper estimate of the tokens of outline lines, not rounded. */
export function outlineTokens(text: string): number {
  let tokens = addedTokens(text)
  for (const [word] of text.matchAll(KNOWN)) tokens -= word === 'sr-only' ? SAVED_BY_SR_ONLY : SAVED
  return tokens
}
