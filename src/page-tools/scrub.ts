import { cleanText } from './clean-text.ts'
import { descendantsOf, isTag } from './dom.ts'
import * as native from './native.ts'
import type { PageOptions } from './options.ts'
import { isSecretField, MASKED, maskSelector } from './privacy.ts'
import { isShortWord, SecretMatcher, withoutEncoded } from './secrets/secret-matcher.ts'
import { KnownSecrets } from './secrets/known-secrets.ts'
import { rememberPassword } from './secrets/once-passwords.ts'
import { withoutTokens } from './secrets/token-patterns.ts'

const SOURCES = ['masked-part', 'secret-field'] as const

/** Secrets of fields are kept apart, so that a table of masked cells can't push them out. */
const known = { 'secret-field': new KnownSecrets(), 'masked-part': new KnownSecrets() }
/** The last cleaner and its key: most texts are cleaned of the same secrets as the one before. */
let last: { readonly key: string; readonly clean: (text: string) => string } | undefined

/**
 * Removes secrets from a text that is about to be returned, wherever they came from: a label that refers to
 * a masked element, a field's own error message, an address. The last of several checks.
 */
export function scrubberFor(
  trees: Iterable<Document | ShadowRoot>,
  options: PageOptions,
): (text: string) => string {
  const found = secretsIn(trees, options)
  for (const source of SOURCES) known[source].add(found[source])
  if (!hasSecrets()) return (text) => withoutTokens(text, MASKED)
  const key = SOURCES.map((source) => known[source].version).join()
  if (last?.key !== key)
    last = { key, clean: cleanerFor(SOURCES.flatMap((source) => known[source].all)) }
  return last.clean
}

function cleanerFor(secrets: readonly string[]): (text: string) => string {
  const matcher = new SecretMatcher(secrets)
  return (text) =>
    withoutTokens(withoutEncoded(matcher.replace(text, MASKED), matcher, MASKED), MASKED)
}

/** Whether any secret was found so far. */
export function hasSecrets(): boolean {
  return SOURCES.some((source) => known[source].size > 0)
}

type Secrets = Readonly<Record<(typeof SOURCES)[number], Set<string>>>

function secretsIn(trees: Iterable<ParentNode>, options: PageOptions): Secrets {
  const found: Secrets = { 'secret-field': new Set(), 'masked-part': new Set() }
  for (const tree of trees) {
    for (const field of native.querySelectorAll(tree, 'input[type="password"]'))
      rememberPassword(field)
    for (const field of native.querySelectorAll(tree, VALUE_FIELDS)) {
      const values = valuesOf(field).filter(({ length }) => length >= SHORTEST)
      if (values.length === 0 || !isSecretField(field)) continue
      for (const value of values) addValue(found['secret-field'], value)
    }
    for (const part of native.querySelectorAll(tree, maskSelector(options)))
      addTexts(found['masked-part'], part)
  }
  return found
}

const VALUE_FIELDS =
  'input,textarea,select,[contenteditable],[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton],[role=slider]'
/**
 * Attributes of masked elements that may hold secrets. Values without digits are skipped: other elements mostly have
 * the same.
 */
const ATTRIBUTES = 'aria-label,aria-valuetext,aria-description,title,placeholder,alt'.split(',')

function addTexts(found: Set<string>, part: Element): void {
  const add = (text: string | null): void => {
    const value = cleanText(text ?? '')
    // A short word of a masked part is elsewhere, too.
    if (value.length >= SHORTEST && !isShortWord(value)) found.add(value)
  }
  add(valueOf(part))
  for (const element of [part, ...descendantsOf(part)]) {
    const { value: own } = element as { value?: unknown }
    if (typeof own === 'string' || typeof own === 'number') add(String(own))
    for (const name of ATTRIBUTES) {
      const value = native.getAttribute(element, name)
      if (value && /\d/.test(value)) add(value)
    }
    for (let node = native.firstChild(element); node; node = native.nextSibling(node))
      if (native.nodeType(node) === 3) add(native.nodeValue(node))
  }
}

function valueOf(element: Element): string {
  const { value } = element as Partial<HTMLInputElement>
  return typeof value === 'string' ? value : (native.textContent(element) ?? '')
}

/** Values of a field: the chosen options of a list, and a number in words, too. */
function valuesOf(field: Element): string[] {
  if (isTag(field, 'select')) return [...field.selectedOptions].map(({ label }) => label)
  const told = ['aria-valuetext', 'aria-valuenow'].map(
    (name) => native.getAttribute(field, name) ?? '',
  )
  return [valueOf(field), ...told]
}

const SHORTEST = 3

/** Adds a field's value, words included. */
function addValue(found: Set<string>, text: string): void {
  const value = cleanText(text)
  if (value.length > SHORTEST || (value.length === SHORTEST && !isShortWord(value)))
    found.add(value)
}
