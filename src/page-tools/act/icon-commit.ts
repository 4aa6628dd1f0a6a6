import type { CommitKind } from '../commits/commit-kinds.ts'
import { type Commit, isHarmless } from '../commits/read-commit.ts'
import * as native from '../native.ts'

/** Words in the classes, ids and files of icons. */
const ICONS: readonly (readonly [CommitKind, RegExp])[] = [
  ['deletes', /\b(?:trash|trashcan|delete|bin|dustbin|garbage|erase)\b/],
  ['sends', /\b(?:send|paper ?plane)\b/],
  ['pays', /\b(?:pay|buy|purchase)\b/],
  ['publishes', /\bpublish\b/],
  ['logs out', /\b(?:log ?out|sign ?out)\b/],
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

/** What the marks of an icon say of a control that has no name: `fa-trash`, `#paper-plane`, `DeleteIcon`. */
export function iconCommit(control: Element): Commit | null {
  const inside = [...native.querySelectorAll(control, '*')].slice(0, PARTS)
  for (const part of [control, ...inside]) {
    const marks = wordsOf(part, part === control)
    if (isHarmless(marks)) return null
    for (const [kind, words] of ICONS) {
      const word = words.exec(marks)?.[0]
      if (word !== undefined) return { kind, word }
    }
  }
  return null
}

/** Where the control itself leads, a link's address says; that is no mark of its icon. */
function wordsOf(part: Element, isControl: boolean): string {
  const values = MARKS.map((mark) =>
    isControl && mark === 'href' ? '' : (native.getAttribute(part, mark) ?? '').slice(-LONG),
  )
  const title =
    native.localName(part) === 'title' ? (native.textContent(part) ?? '').slice(0, LONG) : ''
  return [...values.filter((value) => !value.startsWith('data:')), title]
    .join(' ')
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/[^\p{L}]+/gu, ' ')
    .toLowerCase()
}
