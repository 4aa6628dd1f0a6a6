import { isHarmless, readCommit } from '../commits/read-commit.ts'
import * as native from '../native.ts'

/** Words in the classes, ids and files of icons. */
const ICONS =
  /\b(?:trash|trashcan|delete|bin|dustbin|garbage|erase|send|paper ?plane|pay|buy|purchase|publish|log ?out|sign ?out)\b/
/** Emoji of these actions. An envelope beside a number doesn't count: it shows how many mails there are. */
const PICTURES =
  /[\u{1F5D1}\u{1F6AE}\u{1F4B3}\u{1F4B8}]|^[^\d]*[\u2709\u{1F4E4}\u{1F4E7}-\u{1F4E9}][^\d]*$/u

const MARKS = [
  'class',
  'id',
  'name',
  'title',
  'data-action',
  'data-icon',
  'data-lucide',
  'data-testid',
  'href',
  'xlink:href',
  'icon',
  'src',
]
/** An icon is made of few elements. */
const PARTS = 12
const LONG = 200

/**
 * Finds the committing word in an icon's marks, for a control whose names have no letters: `fa-trash`, `#paper-plane`,
 * an emoji.
 */
export function iconCommit(control: Element, names: readonly string[]): string | null {
  const picture = names.map((name) => PICTURES.exec(name)?.[0]).find(Boolean)
  if (picture) return picture
  const inside = [...native.querySelectorAll(control, '*')].slice(0, PARTS)
  for (const part of [control, ...inside]) {
    const marks = marksOf(part, part === control)
    const words = wordsIn(marks.join(' '))
    if (isHarmless(words)) return null
    const found =
      ICONS.exec(words)?.[0] ??
      marks
        .flatMap((mark) => mark.split(/\s+/))
        .map(phraseCommit)
        .find(Boolean)
    if (found) return found
  }
  return null
}

/** Reads one mark alone, which needs several words: `icon-book` is a book, but `icon-place-order` commits. */
function phraseCommit(mark: string): string | null {
  const word = readCommit(wordsIn(mark).replace(PREFIXES, '').trim())
  return word?.includes(' ') ? word : null
}

const PREFIXES =
  /^ *(?:(?:icons?|ico|fa[srlb]?|bi|ti|mdi|lucide|ri|glyphicon|svg|i|btn|button|js) )+/

/** Skips the control's own `href`: it is the link's address, not a mark of an icon. */
function marksOf(part: Element, isControl: boolean): string[] {
  const values = MARKS.map((mark) =>
    isControl && mark === 'href' ? '' : (native.getAttribute(part, mark) ?? '').slice(-LONG),
  )
  const title =
    native.localName(part) === 'title' ? (native.textContent(part) ?? '').slice(0, LONG) : ''
  return [...values.filter((value) => !value.startsWith('data:')), title]
}

function wordsIn(marks: string): string {
  return marks
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/[^\p{L}]+/gu, ' ')
    .toLowerCase()
}
