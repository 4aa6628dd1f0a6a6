import type { JsonValue } from '../protocol/json.ts'

/** Sequences to keep: joined emoji, keycaps, joiners in scripts that use them, single line breaks and tabs. */
const PLAIN = [
  String.raw`\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?(?:\u200d\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)*`,
  String.raw`[0-9#*]\ufe0f\u20e3`,
  ...'Arabic Syriac Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer'
    .split(' ')
    .map((name) => String.raw`\p{Script=${name}}[\u200c\u200d](?=\p{Script=${name}})`),
  String.raw`\r\n|[\n\t]`,
]

/** Whitespace long enough to push words out of view. */
const PADDING = String.raw`(?:\r?\n[ \t]*){3,}|[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]{4,}|\t{3,}`

/**
 * Characters that are invisible, or that change how others are shown. Controls, bidi marks and overrides, zero-width
 * spaces, fillers, variation selectors, tags, line separators, and the Braille blank. Also code points that Unicode
 * reserves for such characters (U+2065, U+FFF0). `lib/invisible.ts` keeps line separators and the Braille blank; here,
 * they are named, so that a person sees them. Private-use characters stay, because they are visible as a box or icon.
 */
const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`

let segmentPattern: RegExp | undefined

/**
 * Makes hidden characters visible in a text that a person is asked to approve. Invisible characters are named
 * (`⟨U+202E⟩`) and line breaks are marked (`⏎`). Long runs of spaces or empty lines, which can push words out of view,
 * are replaced by their number (`⟨40 spaces⟩`). All other characters stay. Pure.
 */
export function visibleText(text: string): string {
  return replaceHidden(text, '⏎\n')
}

/** `lineBreak` replaces each single line break. */
function replaceHidden(text: string, lineBreak: string): string {
  segmentPattern ??= new RegExp(`(${PADDING})|(${PLAIN.join('|')})|(${HIDDEN})`, 'gu')
  return text.replace(segmentPattern, (part, padding?: string, plain?: string) => {
    if (padding) return describePadding(padding)
    if (!plain) return describeCharacter(part)
    return plain.endsWith('\n') ? lineBreak : plain
  })
}

/**
 * Formats a call's input for approval. The result is JSON, indented by two spaces, with names and texts as in
 * `visibleText`. The result is never shortened: show a long one in a scrolling element. Pure.
 */
export function showInput(value: JsonValue): string {
  return formatValue(value, '')
}

function formatValue(value: JsonValue, indent: string): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const innerIndent = `${indent}  `
  const isList = Array.isArray(value)
  const entries = isList
    ? value.map((item) => formatValue(item, innerIndent))
    : Object.entries(value).map(
        ([name, item]) => `${quoted(name)}: ${formatValue(item, innerIndent)}`,
      )
  const [open, close] = isList ? '[]' : '{}'
  if (entries.length === 0) return `${open}${close}`
  return `${open}\n${entries.map((entry) => innerIndent + entry).join(',\n')}\n${indent}${close}`
}

function quoted(text: string): string {
  return JSON.stringify(replaceHidden(text, '\n'))
}

function describePadding(padding: string): string {
  const rows = padding.split('\n').length - 1
  if (rows > 0) return `⟨${rows} lines⟩`
  const { length } = padding
  const name = padding.startsWith('\t') ? 'tab' : 'space'
  return `⟨${length} ${name}${length > 1 ? 's' : ''}⟩`
}

function describeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
}
