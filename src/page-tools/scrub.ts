import { cleanText } from './clean-text.ts'
import { descendantsOf } from './dom.ts'
import type { PageOptions } from './options.ts'
import { isSecretField, MASKED, maskSelector } from './privacy.ts'
import { rememberPassword } from './secrets/once-passwords.ts'
import { withoutTokens } from './secrets/token-patterns.ts'

/** Patterns of the secrets found so far: the page may still show what a field no longer contains. */
const knownPatterns = new Set<string>()
const MAX_PATTERNS = 500

/**
 * Removes secrets from a text that is about to be returned, wherever they came from: a label that refers to
 * a masked element, a field's own error message, an address. The last of several checks.
 */
export function scrubberFor(
  trees: Iterable<ParentNode>,
  options: PageOptions,
): (text: string) => string {
  for (const pattern of patternsIn(trees, options)) remember(pattern)
  if (knownPatterns.size === 0) return (text) => withoutTokens(text, MASKED)
  // Longest first, so that a secret that contains another one is removed whole.
  const longestFirst = [...knownPatterns].toSorted((a, b) => b.length - a.length)
  const secrets = new RegExp(longestFirst.join('|'), 'gu')
  return (text) => withoutTokens(text.replace(secrets, MASKED), MASKED)
}

function remember(pattern: string): void {
  knownPatterns.delete(pattern)
  knownPatterns.add(pattern)
  if (knownPatterns.size > MAX_PATTERNS)
    for (const oldest of knownPatterns) return void knownPatterns.delete(oldest)
}

function patternsIn(trees: Iterable<ParentNode>, options: PageOptions): Set<string> {
  const patterns = new Set<string>()
  for (const tree of trees) {
    for (const field of tree.querySelectorAll('input[type="password"]')) rememberPassword(field)
    for (const field of tree.querySelectorAll(VALUE_FIELDS)) {
      const value = valueOf(field)
      if (value.length >= SHORTEST && isSecretField(field)) add(patterns, value, true)
    }
    for (const part of tree.querySelectorAll(maskSelector(options))) addTexts(patterns, part)
  }
  return patterns
}

const VALUE_FIELDS = 'input,textarea,[contenteditable],[role=textbox],[role=searchbox]'
/** What masked elements hold beside their text. Those without digits are mostly what others are called, too. */
const ATTRIBUTES = 'aria-label,aria-valuetext,aria-description,title,placeholder,alt'.split(',')

function addTexts(patterns: Set<string>, part: Element): void {
  add(patterns, valueOf(part), false)
  for (const element of [part, ...descendantsOf(part)]) {
    if ('value' in element) add(patterns, String(element.value), false)
    for (const name of ATTRIBUTES) {
      const value = element.getAttribute(name)
      if (value && /\d/.test(value)) add(patterns, value, false)
    }
    for (const node of element.childNodes)
      if (node.nodeType === 3) add(patterns, node.nodeValue ?? '', false)
  }
}

function valueOf(element: Element): string {
  const { value } = element as Partial<HTMLInputElement>
  return typeof value === 'string' ? value : (element.textContent ?? '')
}

const SHORTEST = 3
const LONG = 8

/**
 * Short words without digits are frequent: removing them would make the text unreadable. Those of secret
 * fields are removed where they are whole words.
 */
function add(patterns: Set<string>, text: string, ofSecretField: boolean): void {
  const value = cleanText(text)
  if (value.length < SHORTEST) return
  if (value.length >= LONG || /\d/.test(value))
    for (const form of formsOf(value)) patterns.add(form)
  else if (ofSecretField && value.length > SHORTEST)
    patterns.add(`(?<![\\p{L}\\p{N}])${escapePattern(value)}(?![\\p{L}\\p{N}])`)
}

/** As it is, URL-encoded, and numbers with and without the gaps that cards are printed with. */
function formsOf(value: string): readonly string[] {
  const digits = value.replace(/[ -]/g, '')
  if (/^\d{8,}$/.test(digits)) return [digits.split('').join('[ -]?')]
  const wellFormed = value.replace(/\p{Surrogate}/gu, '\uFFFD')
  const inForm = new URLSearchParams({ '': wellFormed }).toString().slice(1)
  return [...new Set([value, encodeURIComponent(wellFormed), inForm])].map(escapePattern)
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
