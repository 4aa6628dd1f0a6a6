import { cleanText, escapeMarks, quote, shorten } from './clean-text.ts'

// What a model wrote itself, as a report repeats it. Were secrets removed from it, the model could have them read out:
// by a list of all PINs, of which one comes back masked.

/** Around it until the report is scrubbed. Of no page's text: `cleanText` takes them out. */
const BEGIN = '\uFDD2'
const END = '\uFDD3'
const SPANS = /(\uFDD2[^\uFDD2\uFDD3]*\uFDD3)/
const SIGNS = /[\uFDD2\uFDD3]/g
const LIMIT = 120

/** Comes back from `scrubAround` as it is. */
export function asSent(text: string): string {
  return BEGIN + withoutSigns(text) + END
}

/** A page's text that isn't cleaned: it can't pass for what a model sent. */
export function withoutSigns(text: string): string {
  return text.replace(SIGNS, '')
}

/** What a call asked for, in quotes, cut short. */
export function quoteSent(text: string): string {
  return asSent(quote(shorten(text, LIMIT)))
}

/** A field's text in quotes, cut short: what was typed of it is as it was sent. */
export function quoteTyped(text: string, typed: string, limit: number): string {
  return `"${markTyped(text, { typed: cleanText(typed), limit }, (part) => quote(part).slice(1, -1))}"`
}

/** A field's text as an outline has it: what the tools typed of it is as it was sent. */
export function shownTyped(field: Element, text: string, limit: number): string {
  return markTyped(text, { typed: cleanText(typedIn(field)), limit }, escapeMarks)
}

/** What the tools typed of a field's text; empty for nothing. */
export function typedIn(field: Element): string {
  return typedTexts.get(field) ?? ''
}

function markTyped(
  text: string,
  { typed, limit }: { readonly typed: string; readonly limit: number },
  shown: (part: string) => string,
): string {
  const cut = shorten(text, limit)
  const at = typed ? text.lastIndexOf(typed) : -1
  if (at < 0 || at >= limit) return shown(cut)
  // The note on how much is missing isn't a part of the text.
  const end = Math.min(at + typed.length, limit, cut.length)
  return shown(cut.slice(0, at)) + asSent(shown(cut.slice(at, end))) + shown(cut.slice(end))
}

/** Scrubs a report but for what the model sent itself. */
export function scrubAround(text: string, scrub: (text: string) => string): string {
  if (!text.includes(BEGIN)) return scrub(text).replace(SIGNS, '')
  return text
    .split(SPANS)
    .map((part) => (SPANS.test(part) ? part : scrub(part)))
    .join('')
    .replace(SIGNS, '')
}

const typedTexts = new WeakMap<Element, string>()

/** Called when a tool typed into a field that isn't masked: what it holds is the model's own. */
export function rememberTyped(
  field: Element,
  {
    value,
    typed,
    append,
  }: { readonly value: string; readonly typed: string; readonly append: boolean },
): void {
  const all = (append ? (typedTexts.get(field) ?? '') : '') + typed
  // The lines of an editor may stand in its value in another way.
  const holds =
    [all, typed].find((text) => text !== '' && value.includes(text)) ??
    [all, typed].map(cleanText).find((text) => text !== '' && cleanText(value).includes(text))
  if (holds) typedTexts.set(field, holds)
  else typedTexts.delete(field)
}

const scrubbed = new WeakSet<Error>()

/** An error whose message was scrubbed: it isn't to be once more. */
export function rememberScrubbed<Kind extends Error>(error: Kind): Kind {
  scrubbed.add(error)
  return error
}

export function isScrubbed(error: Error): boolean {
  return scrubbed.has(error)
}
