import { withoutInvisible } from '../lib/invisible.ts'

// Marks text that a model wrote itself, so that reports repeat it unscrubbed. Scrubbing it would reveal secrets: in a
// list of all PINs, only the real PIN would be masked.

/** Marks around the model's text until the report is scrubbed. Page text has none: `cleanText` removes them. */
const BEGIN = '\uFDD2'
const END = '\uFDD3'
const SPANS = /(\uFDD2[^\uFDD2\uFDD3]*\uFDD3)/
const SIGNS = /[\uFDD2\uFDD3]/g
const LIMIT = 120

/** Marks a text so that `scrubAround` leaves it as it is. */
export function markAsSent(text: string): string {
  return BEGIN + withoutSigns(text) + END
}

/** Removes the marks from page text that isn't cleaned, so it can't be taken for the model's text. */
export function withoutSigns(text: string): string {
  return text.replace(SIGNS, '')
}

/** Quotes the text that a call asked for, shortened. */
export function quoteSent(text: string): string {
  return markAsSent(quote(shorten(text, LIMIT)))
}

/** Quotes a field's text, shortened. The part that the model typed isn't scrubbed. */
export function quoteTyped(text: string, typed: string, limit: number): string {
  return `"${markTyped(text, { typed: cleanText(typed), limit }, (part) => quote(part).slice(1, -1))}"`
}

/** Shows a field's text as an outline does. The part that the tools typed isn't scrubbed. */
export function formatTypedText(field: Element, text: string, limit: number): string {
  return markTyped(text, { typed: cleanText(getTypedText(field)), limit }, escapeMarks)
}

/** The part of a field's text that the tools typed. Empty if there is none. */
export function getTypedText(field: Element): string {
  return typedTexts.get(field) ?? ''
}

function markTyped(
  text: string,
  { typed, limit }: { readonly typed: string; readonly limit: number },
  render: (part: string) => string,
): string {
  const shortened = shorten(text, limit)
  const at = typed ? text.lastIndexOf(typed) : -1
  if (at < 0 || at >= limit) return render(shortened)
  // The note on missing characters isn't a part of the text.
  const end = Math.min(at + typed.length, limit, shortened.length)
  return (
    render(shortened.slice(0, at)) +
    markAsSent(render(shortened.slice(at, end))) +
    render(shortened.slice(end))
  )
}

/** Scrubs a report, except for the text that the model sent itself. */
export function scrubAround(text: string, scrub: (text: string) => string): string {
  if (!text.includes(BEGIN)) return scrub(text).replace(SIGNS, '')
  return text
    .split(SPANS)
    .map((part) => (SPANS.test(part) ? part : scrub(part)))
    .join('')
    .replace(SIGNS, '')
}

const typedTexts = new WeakMap<Element, string>()

/** Records what a tool typed into a field that isn't masked: the model knows that text already. */
export function rememberTyped(
  field: Element,
  {
    value,
    typed,
    append,
  }: { readonly value: string; readonly typed: string; readonly append: boolean },
): void {
  const fullText = (append ? (typedTexts.get(field) ?? '') : '') + typed
  // An editor may arrange the lines differently in its value.
  const matched =
    [fullText, typed].find((text) => text !== '' && value.includes(text)) ??
    [fullText, typed].map(cleanText).find((text) => text !== '' && cleanText(value).includes(text))
  if (matched) typedTexts.set(field, matched)
  else typedTexts.delete(field)
}

const scrubbed = new WeakSet<Error>()

/** Marks an error whose message is scrubbed: it must not be scrubbed again. */
export function rememberScrubbed<Kind extends Error>(error: Kind): Kind {
  scrubbed.add(error)
  return error
}

export function isScrubbed(error: Error): boolean {
  return scrubbed.has(error)
}

/** Matches most texts, which need no cleaning: words of ASCII with one space between them. */
const PLAIN = /^(?:[!-~]+(?: [!-~]+)*)?$/

/** Whitespace, and the marks that reports use internally. */
const NO_TEXT = /[\s\uFDD2\uFDD3]+/g

/** Text as it is visible: on one line, without invisible characters. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text
  return withoutInvisible(text.replace(NO_TEXT, ' ')).replace(/ {2,}/g, ' ').trim()
}

/** Cuts to a number of characters. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  // Don't cut between the two halves of a surrogate pair.
  return `${text
    .slice(0, limit)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`
}

/** Cuts to a number of characters, and adds how many are missing. */
export function shorten(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${cut(text, limit)} (${text.length - limit} more characters)`
}

/** Beginnings of the marks of an outline and of the frame around it: `[ref=`, `[hidden: `, `<new>`, `</page `. */
const MARKS =
  /\[(?=\s*(?:ref|from|title|level|type|sort|current|checked|disabled|expanded|collapsed|pressed|selected|readonly|required|invalid|busy|min|max|sr-only|clickable|on hover|hint|(?:aria-)?hidden|name (?:(?:partly )?hidden|sr-only))\s*[\]=:])|<(?=\s*\/?\s*(?:new|changed|removed|page)\b)/gi

/** Escapes anything in unquoted page text that looks like a mark of an outline. */
export function escapeMarks(text: string): string {
  return text.replace(MARKS, '\\$&')
}

/** Shows an address, with marks escaped, since a page may choose its address. */
export function shownAddress(href: string, limit = 200): string {
  return escapeMarks(shorten(href, limit))
}

/** Wraps a text in double quotes. Escapes its own quotes, and anything that looks like a mark. */
export function quote(text: string): string {
  return `"${escapeMarks(text.replace(/\\/g, '\\\\').replace(/"/g, '\\"'))}"`
}

/** Normalizes a text, to compare what a model wrote with what a page shows. */
export function normalize(text: string): string {
  return cleanText(text).toLowerCase()
}
