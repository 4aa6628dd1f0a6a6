import type { CommitKind } from '../commits/commit-kinds.ts'
import { type Commit, isHarmless, readCommit } from '../commits/read-commit.ts'
import { viewOf } from '../dom.ts'
import * as native from '../native.ts'

/** Words in the classes, ids and files of icons. */
const ICONS: readonly (readonly [CommitKind, RegExp])[] = [
  ['deletes', /\b(?:trash|trashcan|delete|bin|dustbin|garbage|erase)\b/],
  ['sends', /\b(?:send|paper ?plane)\b/],
  ['pays', /\b(?:pay|buy|purchase)\b/],
  ['publishes', /\bpublish\b/],
  ['logs out', /\b(?:log ?out|sign ?out)\b/],
]

/** Characters that are pictures of it, without what chooses their colours. */
const PICTURES: readonly (readonly [CommitKind, RegExp])[] = [
  ['deletes', /[\u{1F5D1}\u{1F6AE}]/u],
  ['pays', /[\u{1F4B3}\u{1F4B8}]/u],
  // With a number beside it, an envelope shows how many mails there are.
  ['sends', /^[^\d]*[\u2709\u{1F4E4}\u{1F4E7}-\u{1F4E9}][^\d]*$/u],
]

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
 * What the marks of an icon say of a control whose names have no letters: `fa-trash`, `#paper-plane`, `DeleteIcon`, the
 * file of a picture that a style draws, an emoji.
 */
export function iconCommit(control: Element, names: readonly string[]): Commit | null {
  for (const name of names)
    for (const [kind, pictures] of PICTURES) {
      const word = pictures.exec(name)?.[0]
      if (word !== undefined) return { kind, word }
    }
  const inside = [...native.querySelectorAll(control, '*')].slice(0, PARTS)
  for (const part of [control, ...inside]) {
    const marks = marksOf(part, part === control)
    const words = wordsIn(marks.join(' '))
    if (isHarmless(words)) return null
    for (const [kind, pattern] of ICONS) {
      const word = pattern.exec(words)?.[0]
      if (word !== undefined) return { kind, word }
    }
    const phrase = marks.flatMap((mark) => mark.split(/\s+/)).map(phraseCommit)
    const found = phrase.find((one) => one !== null)
    if (found) return found
  }
  return null
}

/** Of one mark alone only what says it by several words: `icon-book` is a book, `icon-place-order` no place. */
function phraseCommit(mark: string): Commit | null {
  const commit = readCommit(wordsIn(mark).replace(PREFIXES, '').trim())
  return commit?.word.includes(' ') ? commit : null
}

const PREFIXES =
  /^ *(?:(?:icons?|ico|fa[srlb]?|bi|ti|mdi|lucide|ri|glyphicon|svg|i|btn|button|js) )+/

/** Where the control itself leads, a link's address says; that is no mark of its icon. */
function marksOf(part: Element, isControl: boolean): string[] {
  const values = MARKS.map((mark) =>
    isControl && mark === 'href' ? '' : (native.getAttribute(part, mark) ?? '').slice(-LONG),
  )
  const title =
    native.localName(part) === 'title' ? (native.textContent(part) ?? '').slice(0, LONG) : ''
  return [...values.filter((value) => !value.startsWith('data:')), title, ...drawnFiles(part)]
}

const DRAWN = [undefined, '::before', '::after'] as const
const FILE = /url\("?(?!data:)[^")]*?([^/")?#]+)(?:[?#][^")]*)?"?\)/giu

/** The names of the files that styles draw in it or as its mask. */
function drawnFiles(part: Element): string[] {
  return DRAWN.flatMap((side) => {
    const style = viewOf(part).getComputedStyle(part, side)
    const { backgroundImage, maskImage, content } = style
    const drawn = [backgroundImage, maskImage || style.webkitMaskImage, content].join(' ')
    return [...drawn.matchAll(FILE)].map(([, file = '']) => file.slice(-LONG))
  })
}

function wordsIn(marks: string): string {
  return marks
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/[^\p{L}]+/gu, ' ')
    .toLowerCase()
}
