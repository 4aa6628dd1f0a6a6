import { withoutAnyTagMarks } from './foreign/tag-marks.ts'
import {
  decodeBrowserEntities,
  lineBreak,
  normalizeCharacters,
  withoutEscapes,
} from './normalize-text.ts'

const linePrefix = /^[ \t]*(?:(?:>|[-*+•|]|\d{1,9}[.)])[ \t]?)+/gm

const changes = [
  decodeHtml,
  decodeHtml,
  normalizeCharacters,
  withoutQuotePrefixes,
  withoutEscapes,
  withoutEscapes,
  withoutEscapes,
  withoutEscapes,
  // Last: what was encoded may be a mark.
  withoutAnyTagMarks,
]

/** The text, and its variants without HTML's breaks and entities, quotations' line prefixes, escapes and marks. */
export function decodedVariants(text: string): string[] {
  const variants = [text]
  for (const change of changes) {
    for (const variant of variants.slice()) {
      const changed = change(variant)
      if (!variants.includes(changed)) variants.push(changed)
    }
  }
  return variants
}

function decodeHtml(text: string): string {
  return decodeBrowserEntities(text.replaceAll(lineBreak, '\n'))
}

function withoutQuotePrefixes(text: string): string {
  return text.replace(linePrefix, '')
}
