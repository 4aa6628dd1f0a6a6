import { foldLetters, foldWords } from '../../lib/fold-words.ts'
import type { CommitKind, CommitWords } from './commit-kinds.ts'
import { ENGLISH_FORM_WORDS, ENGLISH_OUTCOMES, ENGLISH_WORDS } from './english-words.ts'
import { LATIN_WORDS } from './latin-words.ts'
import { withLatinLetters } from '../../lib/look-alikes.ts'
import { OTHER_SCRIPTS, WITHOUT_GAPS } from './other-scripts.ts'
import {
  CONSENTS,
  CONSENTS_WITHOUT_GAPS,
  DECLINES,
  HARMLESS_REMOVALS,
  SAVES,
  SAVES_WITHOUT_GAPS,
} from './title-words.ts'

/** What a name says that its control does, and the words that say it, as they are compared. */
export interface Commit {
  readonly kind: CommitKind
  readonly word: string
}

/** Before the verb of an English name: an icon, "Yes, delete", "Confirm & pay", "Add to cart and pay", "Permanently delete". */
const LEAD =
  '^[^\\p{L}\\p{N}]*(?:(?:yes|ok|okay|now|please|proceed to|continue to|i agree,?|agree and|permanently|really|quick|instant|instantly|express|bulk|force|hard|one click|1 click|securely|safely|just|are you sure (?:that )?(?:you (?:want|wish|would like) )?to|do you (?:really )?want to|you are about to|this will)[ ,:;!]*)*(?:(?:(?:add|remove|move|clear|empty|take|save|keep|apply|accept|agree|read|review|check|update|close) \\p{L}+(?: \\p{L}+){0,4}|\\p{L}+) (?:and|&|then|\\+) )?'
const FIRST = '(?<![\\p{L}\\p{N}])'
const LAST = '(?![\\p{L}\\p{N}])'
/** Before what happens to something. */
const WILL = `${FIRST}(?:will|shall|is going to|are going to|would|is about to|are about to)(?: (?:now|also|all|then|immediately|permanently|irrevocably|automatically))* (?:be|get) (?:(?:now|immediately|permanently|irrevocably|automatically|completely) )*`
const LONG = 120

interface Rule {
  readonly kind: CommitKind
  readonly pattern: RegExp
}

const english = rulesOf(ENGLISH_WORDS, (words) => `${LEAD}(?<word>${words})${LAST}`)
const englishOfForms = rulesOf(ENGLISH_FORM_WORDS, (words) => `${LEAD}(?<word>${words})${LAST}`)
const outcomes = rulesOf(ENGLISH_OUTCOMES, (words) => `${WILL}(?<word>${words})${LAST}`)
const others = Object.entries({ ...LATIN_WORDS, ...OTHER_SCRIPTS }).flatMap(([language, words]) =>
  rulesOf(words, (parts) =>
    WITHOUT_GAPS.has(language) ? `(?<word>${parts})` : `${FIRST}(?<word>${parts})${LAST}`,
  ),
)
const harmless = pattern(HARMLESS_REMOVALS)
const consents = beginningWith(CONSENTS, CONSENTS_WITHOUT_GAPS)
const saves = beginningWith(SAVES, SAVES_WITHOUT_GAPS)
const declines = pattern(`^[^\\p{L}\\p{N}×✕✖]*(?:${DECLINES})${LAST}`)

/** What has a name: a control, or what ends a form or a dialog, be it a control of it or its title. */
export type Named = 'control' | 'ending'

/** Null: nothing that a person is to be asked about. */
export function readCommit(name: string, of: Named = 'control'): Commit | null {
  if (opensMore(name)) return null
  const start = name.slice(0, LONG)
  const latin = withLatinLetters(start)
  const found = commitIn(start, of)
  return found ?? (latin === start ? null : commitIn(latin, of))
}

function commitIn(name: string, of: Named): Commit | null {
  const text = foldWords(name).trim()
  const rules =
    of === 'ending'
      ? [...english, ...englishOfForms, ...outcomes, ...others]
      : [...english, ...others]
  for (const { kind, pattern: words } of rules) {
    const word = words.exec(text)?.groups?.['word']
    if (word && !(kind === 'deletes' && harmless.test(clauseOf(text, word)))) return { kind, word }
  }
  return null
}

/** "Remove from cart and delete account" is not about a cart. */
function clauseOf(text: string, word: string): string {
  return text.split(/ (?:and|&|then|\+) /).find((clause) => clause.includes(word)) ?? text
}

/** Whether a name says that what is asked is not done. */
export function readDecline(name: string): boolean {
  return declines.test(foldWords(name.slice(0, LONG)).trim())
}

/** Whether a name only agrees to what its form or dialog asks: "OK", "Yes". So does an icon. */
export function readConsent(name: string): boolean {
  const text = foldWords(name.slice(0, LONG)).trim()
  return !/[\p{L}\p{N}]/u.test(text) || consents.test(text)
}

/** Whether a name says that what was entered is kept: "Save changes". */
export function readSaving(name: string): boolean {
  return saves.test(foldWords(name.slice(0, LONG)).trim())
}

/** Whether what a name says is about a cart, or about a filter. */
export function isHarmless(name: string): boolean {
  return harmless.test(foldWords(name.slice(0, LONG)))
}

/** By convention, three points say that something is asked first. */
function opensMore(name: string): boolean {
  return /(?:\.{3}|…)\s*$/.test(name)
}

function rulesOf(words: CommitWords, sourceOf: (words: string) => string): Rule[] {
  return (Object.entries(words) as [CommitKind, string][]).map(([kind, parts]) => ({
    kind,
    pattern: pattern(sourceOf(parts)),
  }))
}

function beginningWith(words: string, withoutGaps: string): RegExp {
  return pattern(`^[^\\p{L}\\p{N}]*(?:(?:${words})${LAST}|${withoutGaps})`)
}

/** The source is folded as names are. */
function pattern(source: string): RegExp {
  return new RegExp(foldLetters(source), 'u')
}
