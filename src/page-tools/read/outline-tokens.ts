import { addedTokens } from '../../lib/estimate-tokens.ts'

/**
 * Words of outlines that are one token each, or two, and that the estimate for any text takes for rare. They are
 * as cheap wherever a page has them between the same signs.
 */
const KNOWN =
  /(?<=- )(?:textbox|checkbox|searchbox|navigation|region|search|toolbar)(?=[ :])|(?<=\[)(?:required|readonly)(?=\])|(?<=[ [])sr-only(?=\])/g
const SAVED = 1.5
const SAVED_BY_SR_ONLY = 3.5

/** An upper estimate of the tokens of lines of an outline, before it is rounded. */
export function outlineTokens(text: string): number {
  let tokens = addedTokens(text)
  for (const [word] of text.matchAll(KNOWN)) tokens -= word === 'sr-only' ? SAVED_BY_SR_ONLY : SAVED
  return tokens
}
