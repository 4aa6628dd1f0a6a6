/**
 * Characters that are not visible: controls, soft hyphens, zero-width and bidirectional marks, variation
 * selectors, Unicode tags (used to smuggle instructions), and private ones (icon fonts).
 */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- they are what is removed.
  /[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uE000-\uF8FF\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}\u{F0000}-\u{10FFFF}]/gu

/** Most texts: words of ASCII with one space between them. */
const PLAIN = /^(?:[!-~]+(?: [!-~]+)*)?$/

/** Text as it is visible: on one line, without invisible characters. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text
  return text.replace(/\s+/g, ' ').replace(INVISIBLE, '').replace(/ {2,}/g, ' ').trim()
}

/** Cuts to a number of characters and appends how many are missing. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  // Not between the two halves of a surrogate pair.
  const head = text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')
  return `${head.trimEnd()}… (${text.length - limit} more characters)`
}

/**
 * What begins the marks of an outline and of the frame around it: `[ref=`, `[hidden: `, `<new>`, `</page `.
 */
const MARKS =
  /\[(?=\s*(?:ref|from|title|level|type|sort|current|checked|disabled|expanded|collapsed|pressed|selected|readonly|required|invalid|busy|sr-only|clickable|hidden|name (?:partly )?hidden)\s*[\]=:])|<(?=\s*\/?\s*(?:new|changed|removed|page)\b)/gi

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
