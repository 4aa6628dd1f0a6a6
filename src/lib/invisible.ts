/**
 * What is never seen, whitespace, joiners and the selector of emojis apart. Every text of others is cleaned by this
 * table. Two other places read invisible characters for another purpose, and say what they except:
 * `conversation/show-input.ts` (names them) and `action/` (`normalize-text.ts`, `char-codes.ts`: reads calls in text).
 */
const NEVER_SEEN =
  '\\u0000-\\u0008\\u000E-\\u001F\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B\\u200E\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uE000-\\uF8FF\\uFE00-\\uFE0E\\uFEFF\\uFFA0\\uFFF0-\\uFFFB\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}\\u{F0000}-\\u{10FFFF}'

/**
 * Characters that are not visible: controls, soft hyphens, zero-width and bidirectional marks, variation
 * selectors, Unicode tags (used to smuggle instructions), and private ones (icon fonts).
 */
const INVISIBLE = /* @__PURE__ */ new RegExp(`[${NEVER_SEEN}\\u200C\\u200D\\uFE0F]`, 'gu')

/** Where a joiner joins nothing: behind no letter or picture, before none, in a script without joiners. */
const LOOSE_JOINER =
  '(?<![\\p{L}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])[\\u200C\\u200D]|[\\u200C\\u200D](?![\\p{L}\\p{M}\\p{Extended_Pictographic}])|(?<=[\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{sc=Han}])[\\u200C\\u200D]'

/** The same, save joiners that join, and an emoji's selector. Built with the first text: its properties of Unicode take a millisecond. */
let hidden: RegExp | undefined

/** The text without invisible characters, for comparisons and names. Line breaks and tabs stay. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '')
}

/** Words of others for whoever reads them: without hidden characters, its joiners where its language needs them. */
export function withoutHidden(text: string): string {
  hidden ??= new RegExp(`[${NEVER_SEEN}]|${LOOSE_JOINER}|(?<!\\p{Emoji})\\uFE0F`, 'gu')
  return text.replace(hidden, '')
}
