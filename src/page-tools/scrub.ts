import { cleanText } from './clean-text.ts'
import { descendantsOf, isTag } from './dom.ts'
import * as native from './native.ts'
import type { PageOptions } from './options.ts'
import { isSecretField, MASKED, maskSelector } from './privacy.ts'
import { withoutCutEnds, withoutEncoded } from './secrets/disguises.ts'
import { findPhrases } from './secrets/phrase-parts.ts'
import { rememberPassword } from './secrets/once-passwords.ts'
import { patternOfPart, patternOfWord, patternsOfValue } from './secrets/secret-patterns.ts'
import { splitEchoes } from './secrets/split-echoes.ts'
import { withoutTokens } from './secrets/token-patterns.ts'

/** Patterns of the secrets found so far, and how long the secrets are: the page may still show what a field no longer contains. */
const knownPatterns = new Map<string, number>()
const MAX_PATTERNS = 500
/** The secrets as they are, to find them where the page shows them in parts. */
const knownValues = new Map<string, number>()
const MAX_VALUES = 100

/**
 * Removes secrets from a text that is about to be returned, wherever they came from: a label that refers to
 * a masked element, a field's own error message, an address. The last of several checks.
 */
export function scrubberFor(
  trees: Iterable<Document | ShadowRoot>,
  options: PageOptions,
): (text: string) => string {
  const all = [...trees]
  findPhrases(all)
  const found = secretsIn(all, options)
  for (const [pattern, length] of found.patterns)
    remember(knownPatterns, [pattern, length], MAX_PATTERNS)
  for (const value of found.values) remember(knownValues, [value, value.length], MAX_VALUES)
  for (const part of splitEchoes(all, [...knownValues.keys()], found.holders))
    remember(knownPatterns, [patternOfPart(part), part.length], MAX_PATTERNS)
  if (knownPatterns.size === 0) return (text) => withoutTokens(text, MASKED)
  // Longest first, so that a secret that contains another one is removed whole.
  const longestFirst = [...knownPatterns].toSorted(([, one], [, other]) => other - one)
  const secrets = new RegExp(longestFirst.map(([pattern]) => pattern).join('|'), 'gu')
  return (text) => {
    const clean = withoutEncoded(text.replace(secrets, MASKED), secrets, MASKED)
    return withoutTokens(withoutCutEnds(clean, knownValues.keys(), MASKED), MASKED)
  }
}

/** Whether any secret was found so far. */
export function hasSecrets(): boolean {
  return knownPatterns.size > 0
}

function remember(
  known: Map<string, number>,
  [one, length]: readonly [string, number],
  limit: number,
): void {
  known.delete(one)
  known.set(one, length)
  if (known.size > limit) for (const oldest of known.keys()) return void known.delete(oldest)
}

interface Secrets {
  readonly patterns: Map<string, number>
  readonly values: Set<string>
  readonly holders: Element[]
}

function secretsIn(trees: readonly ParentNode[], options: PageOptions): Secrets {
  const found: Secrets = { patterns: new Map(), values: new Set(), holders: [] }
  for (const tree of trees) {
    for (const field of native.querySelectorAll(tree, 'input[type="password"]'))
      rememberPassword(field)
    for (const field of native.querySelectorAll(tree, VALUE_FIELDS)) {
      const values = valuesOf(field).filter(({ length }) => length >= SHORTEST)
      if (values.length === 0 || !isSecretField(field)) continue
      found.holders.push(field)
      for (const value of values) add(found, value, 'secret-field')
    }
    for (const part of native.querySelectorAll(tree, maskSelector(options))) {
      found.holders.push(part)
      addTexts(found, part)
    }
  }
  return found
}

const VALUE_FIELDS =
  'input,textarea,select,[contenteditable],[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton],[role=slider]'
/** What masked elements hold beside their text. Those without digits are mostly what others are called, too. */
const ATTRIBUTES = 'aria-label,aria-valuetext,aria-description,title,placeholder,alt'.split(',')

function addTexts(found: Secrets, part: Element): void {
  add(found, valueOf(part), 'masked-part')
  for (const element of [part, ...descendantsOf(part)]) {
    const { value: own } = element as { value?: unknown }
    if (typeof own === 'string' || typeof own === 'number') add(found, String(own), 'masked-part')
    for (const name of ATTRIBUTES) {
      const value = native.getAttribute(element, name)
      if (value && /\d/.test(value)) add(found, value, 'masked-part')
    }
    for (const node of native.childNodes(element))
      if (native.nodeType(node) === 3) add(found, native.nodeValue(node) ?? '', 'masked-part')
  }
}

function valueOf(element: Element): string {
  const { value } = element as Partial<HTMLInputElement>
  return typeof value === 'string' ? value : (native.textContent(element) ?? '')
}

/** Of a field: what is chosen of a list, and the words for a number. */
function valuesOf(field: Element): string[] {
  if (isTag(field, 'select')) return [...field.selectedOptions].map(({ label }) => label)
  const told = ['aria-valuetext', 'aria-valuenow'].map(
    (name) => native.getAttribute(field, name) ?? '',
  )
  return [valueOf(field), ...told]
}

type Source = 'secret-field' | 'masked-part'

const SHORTEST = 3
const LONG = 8

/**
 * Short words without digits are frequent: removing them would make the text unreadable. Those of secret
 * fields are removed where they are whole words.
 */
function add({ patterns, values }: Secrets, text: string, from: Source): void {
  const value = cleanText(text)
  if (value.length < SHORTEST) return
  if (value.length >= LONG || /\d/.test(value)) {
    for (const pattern of patternsOfValue(value)) patterns.set(pattern, value.length)
    values.add(value)
  } else if (from === 'secret-field' && value.length > SHORTEST)
    patterns.set(patternOfWord(value), value.length)
}
