import { withoutInvisible } from '../lib/invisible.ts'

/** Most texts: words of ASCII with one space between them. */
const PLAIN = /^(?:[!-~]+(?: [!-~]+)*)?$/

/** Whitespace, and signs that reports use for themselves. */
const NO_TEXT = /[\s\uFDD2\uFDD3]+/g

/** Text as it is visible: on one line, without invisible characters. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text
  return withoutInvisible(text.replace(NO_TEXT, ' ')).replace(/ {2,}/g, ' ').trim()
}

/** Cuts to a number of characters. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  // Not between the two halves of a surrogate pair.
  return `${text
    .slice(0, limit)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`
}

/** The same, with how many are missing. */
export function shorten(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${cut(text, limit)} (${text.length - limit} more characters)`
}

/**
 * What begins the marks of an outline and of the frame around it: `[ref=`, `[hidden: `, `<new>`, `</page `.
 */
const MARKS =
  /\[(?=\s*(?:ref|from|title|level|type|sort|current|checked|disabled|expanded|collapsed|pressed|selected|readonly|required|invalid|busy|min|max|sr-only|clickable|on hover|hint|hidden|name (?:(?:partly )?hidden|sr-only))\s*[\]=:])|<(?=\s*\/?\s*(?:new|changed|removed|page)\b)/gi

/** A page's text that isn't quoted: it can't look like a mark of an outline. */
export function escapeMarks(text: string): string {
  return text.replace(MARKS, '\\$&')
}

/** An address as it may be shown: it is the page's text, too. */
export function shownAddress(href: string, limit = 200): string {
  return escapeMarks(shorten(href, limit))
}

/** In double quotes, with the text's own quotes escaped, and all that looks like a mark. */
export function quote(text: string): string {
  return `"${escapeMarks(text.replace(/\\/g, '\\\\').replace(/"/g, '\\"'))}"`
}

/** For comparisons of what a model wrote with what a page shows. */
export function normalize(text: string): string {
  return cleanText(text).toLowerCase()
}
