import { withoutInvisible } from '../lib/invisible.ts'

/** Most texts: words of ASCII with one space between them. */
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
  /\[(?=\s*(?:ref|from|title|level|type|sort|current|checked|disabled|expanded|collapsed|pressed|selected|readonly|required|invalid|busy|min|max|sr-only|clickable|on hover|hint|hidden|name (?:(?:partly )?hidden|sr-only))\s*[\]=:])|<(?=\s*\/?\s*(?:new|changed|removed|page)\b)/gi

/** Escapes anything in unquoted page text that looks like a mark of an outline. */
export function escapeMarks(text: string): string {
  return text.replace(MARKS, '\\$&')
}

/** Shows an address, with marks escaped: it is the page's text, too. */
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
