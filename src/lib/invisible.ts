/**
 * Characters that are not visible: controls, soft hyphens, zero-width and bidirectional marks, variation
 * selectors, Unicode tags (used to smuggle instructions), and private ones (icon fonts).
 */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- they are what is removed.
  /[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uE000-\uF8FF\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}\u{F0000}-\u{10FFFF}]/gu

/** The text without them. Line breaks and tabs stay. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '')
}
