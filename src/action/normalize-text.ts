/**
 * Fewer than `lib/invisible.ts` has: controls, private characters and fillers may be part of an argument's value, and
 * what is compared here is what models vary, not what others hide.
 */
const invisible =
  // oxlint-disable-next-line no-misleading-character-class -- they are what is removed.
  /[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e0fff}]/gu

/** A line's end in HTML. */
export const lineBreak: RegExp = /<br\s*\/?>/gi

/** Typographic characters replaced by those of a keyboard, invisible ones removed. */
export function normalizeCharacters(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(invisible, '')
    .replaceAll(/[“”„«»″]/g, '"')
    .replaceAll(/[‘’‚′]/g, "'")
}

const named: ReadonlyMap<string, string> = new Map(
  (
    'lt< gt> amp& quot" apos\' nbsp\u00a0 newline\n tab\t lowbar_ underbar_ hyphen- dash- lbrace{ rbrace} lcub{ ' +
    'rcub} lpar( rpar) lbrack[ rbrack] lsqb[ rsqb] colon: comma, semi; equals= sol/ bsol\\ period. num# verbar| ' +
    'vert| grave`'
  )
    .split(' ')
    .map((entity) => [entity.slice(0, -1), entity.slice(-1)]),
)

/** Decodes entities as browsers do: more names than XML's, any number of digits, no semicolon needed. */
export function decodeBrowserEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(
    /&(?:#0*(\d{1,7})|#[xX]0*([\da-fA-F]{1,6})|(lt|gt|amp|quot|nbsp)|([a-z]{2,8})(?=;));?/gi,
    (whole: string, ...groups: (string | undefined)[]) => {
      const [decimal, hex, bare, full] = groups
      const name = bare ?? full
      if (name !== undefined) return named.get(name.toLowerCase()) ?? whole
      const code = decimal === undefined ? parseInt(hex ?? '', 16) : parseInt(decimal, 10)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

/** Without one level of JSON's, JavaScript's or Markdown's escapes. */
export function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(
    /\\(?:u([\da-fA-F]{4})|u\{([\da-fA-F]{1,5})\}|x([\da-fA-F]{2})|([^\w\s]|[_ntr]))/g,
    (_, ...groups: (string | undefined)[]) => {
      const [unit, point, byte, char] = groups
      const hex = unit ?? point ?? byte
      return hex === undefined
        ? (escapes[char ?? ''] ?? char ?? '')
        : String.fromCodePoint(parseInt(hex, 16))
    },
  )
}
