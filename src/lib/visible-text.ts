/**
 * Characters that no eye sees: controls, bidirectional and zero-width marks, fillers, variation selectors, private
 * ones and Unicode tags, in which instructions can be written for a model alone. The joiners are looked at apart.
 */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- they are what is removed.
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uE000-\uF8FF\uFE00-\uFE0E\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}\u{F0000}-\u{10FFFF}]/gu

/** Joiners and the emoji selector, where they don't stand alone behind a letter or picture: nothing is written in them. */
const LOOSE_JOINER =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])[\u200C\u200D]|[\u200C\u200D](?![\p{L}\p{M}\p{Extended_Pictographic}])|(?<![\p{Emoji}])\uFE0F/gu

/** A text of others without what no eye sees; its lines, tabs and letters stay. */
export function visibleText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(INVISIBLE, '').replace(LOOSE_JOINER, '')
}
