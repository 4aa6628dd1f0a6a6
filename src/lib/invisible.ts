/**
 * Invisible characters except whitespace, joiners and emoji selectors. All untrusted text is cleaned with this table.
 * Two other places have their own tables: `conversation/show-input.ts` shows invisible characters by name. `action/`
 * (`normalize-text.ts`, `char-codes.ts`) ignores them when it looks for calls.
 */
const NEVER_SEEN =
  '\\u0000-\\u0008\\u000E-\\u001F\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B\\u200E\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uE000-\\uF8FF\\uFE00-\\uFE0E\\uFEFF\\uFFA0\\uFFF0-\\uFFFB\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}\\u{F0000}-\\u{10FFFF}'

/**
 * Invisible characters: controls, soft hyphens, zero-width and bidirectional marks, variation selectors, Unicode tags
 * (used to smuggle instructions), and private-use characters (icon fonts).
 */
const INVISIBLE = /* @__PURE__ */ new RegExp(`[${NEVER_SEEN}\\u200C\\u200D\\uFE0F]`, 'gu')

/** A joiner without effect: it doesn't stand between two letters or pictures, or the script has no joiners. */
const LOOSE_JOINER =
  '(?<![\\p{L}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])[\\u200C\\u200D]|[\\u200C\\u200D](?![\\p{L}\\p{M}\\p{Extended_Pictographic}])|(?<=[\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{sc=Han}])[\\u200C\\u200D]'

/**
 * Invisible characters except effective joiners and emoji selectors. Built on first use, because the pattern takes a
 * millisecond to compile.
 */
let hidden: RegExp | undefined

/** Returns the text without invisible characters, for comparisons and names. Keeps line breaks and tabs. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '')
}

/** Returns untrusted text for readers: without hidden characters, but with joiners that the language needs. */
export function cleanUntrustedText(text: string): string {
  hidden ??= new RegExp(`[${NEVER_SEEN}]|${LOOSE_JOINER}|(?<!\\p{Emoji})\\uFE0F`, 'gu')
  return text.replace(hidden, '')
}
