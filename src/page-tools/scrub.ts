import { cleanText } from './clean-text.ts'
import { descendantsOf, isTag } from './dom.ts'
import * as native from './native.ts'
import type { PageOptions } from './options.ts'
import { isSecretField, MASKED, maskSelector } from './privacy.ts'
import { cutEndsOf } from './secrets/cut-ends.ts'
import { withoutEncoded } from './secrets/disguises.ts'
import { anyOf, KnownSecrets } from './secrets/known-secrets.ts'
import { findPhrases } from './secrets/phrase-parts.ts'
import { rememberPassword } from './secrets/once-passwords.ts'
import { patternOfPart, patternOfWord, patternsOfValue } from './secrets/secret-patterns.ts'
import { splitEchoes } from './secrets/split-echoes.ts'
import { withoutTokens } from './secrets/token-patterns.ts'

const SOURCES = ['masked-part', 'secret-field'] as const

/** What fields hold is kept apart: a table of masked cells must not have it forgotten. */
const known = {
  'secret-field': { patterns: new KnownSecrets(), values: new KnownSecrets() },
  'masked-part': { patterns: new KnownSecrets(), values: new KnownSecrets() },
}
const knownParts = new KnownSecrets()
/** The last expression, with what it was made for: most texts are cleaned of the same secrets as those before. */
let last: { readonly key: string; readonly clean: (text: string) => string } | undefined

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
  for (const source of SOURCES) {
    known[source].patterns.add(found[source].patterns)
    known[source].values.add(found[source].values)
  }
  const values = entriesOf('values').map(([value]) => value)
  const parts = splitEchoes(all, values, found.holders)
  knownParts.add(new Map([...parts].map((part) => [patternOfPart(part), part.length])))
  const patterns = [...entriesOf('patterns'), ...knownParts.entries]
  if (patterns.length === 0) return (text) => withoutTokens(text, MASKED)
  const key = [
    knownParts.version,
    ...SOURCES.flatMap((source) => [known[source].patterns.version, known[source].values.version]),
  ].join()
  if (last?.key !== key) last = { key, clean: cleanerFor(patterns, values) }
  return last.clean
}

function cleanerFor(
  patterns: readonly (readonly [string, number])[],
  values: readonly string[],
): (text: string) => string {
  const secrets = anyOf(patterns)
  const withoutCuts = cutEndsOf(values, MASKED)
  return (text) => {
    const clean = withoutEncoded(text.replace(secrets, MASKED), secrets, MASKED)
    return withoutTokens(withoutCuts(clean), MASKED)
  }
}

/** Those of fields last, as the newest. */
function entriesOf(what: 'patterns' | 'values'): readonly (readonly [string, number])[] {
  return SOURCES.flatMap((source) => known[source][what].entries)
}

/** Whether any secret was found so far. */
export function hasSecrets(): boolean {
  return SOURCES.some((source) => known[source].patterns.size > 0)
}

interface Found {
  readonly patterns: Map<string, number>
  readonly values: Map<string, number>
}

type Secrets = Readonly<Record<Source, Found>> & { readonly holders: Element[] }

function secretsIn(trees: readonly ParentNode[], options: PageOptions): Secrets {
  const found: Secrets = {
    'secret-field': { patterns: new Map(), values: new Map() },
    'masked-part': { patterns: new Map(), values: new Map() },
    holders: [],
  }
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

type Source = (typeof SOURCES)[number]

const SHORTEST = 3
const LONG = 8

/**
 * Short words without digits are frequent: removing them would make the text unreadable. Those of secret
 * fields are removed where they are whole words.
 */
function add(found: Secrets, text: string, from: Source): void {
  const { patterns, values } = found[from]
  const value = cleanText(text)
  if (value.length < SHORTEST) return
  if (value.length >= LONG || /\d/.test(value)) {
    for (const pattern of patternsOfValue(value)) patterns.set(pattern, value.length)
    values.set(value, value.length)
  } else if (from === 'secret-field' && value.length > SHORTEST)
    patterns.set(patternOfWord(value), value.length)
}
