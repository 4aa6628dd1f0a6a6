import { foldLetters, foldWords, LETTERS, LETTERS_AND_NUMBERS } from '../../lib/fold-words.ts'
import { lazyPattern } from '../../lib/once.ts'
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
const LEAD = `^[^${LETTERS_AND_NUMBERS}]*(?:(?:yes|ok|okay|now|please|proceed to|continue to|i agree,?|agree and|permanently|really|quick|instant|instantly|express|bulk|force|hard|one click|1 click|securely|safely|just|are you sure (?:that )?(?:you (?:want|wish|would like) )?to|do you (?:really )?want to|you are about to|this will)[ ,:;!]*)*(?:(?:(?:add|remove|move|clear|empty|take|save|keep|apply|accept|agree|read|review|check|update|close) [${LETTERS}]+(?: [${LETTERS}]+){0,4}|[${LETTERS}]+) (?:and|&|then|\\+) )?`
const FIRST = `(?<![${LETTERS_AND_NUMBERS}])`
const LAST = `(?![${LETTERS_AND_NUMBERS}])`
/** Before what happens to something. */
const WILL = `${FIRST}(?:will|shall|is going to|are going to|would|is about to|are about to)(?: (?:now|also|all|then|immediately|permanently|irrevocably|automatically))* (?:be|get) (?:(?:now|immediately|permanently|irrevocably|automatically|completely) )*`
const LONG = 120
/** Vietnamese, without its accents "ban": you, to sell, a table, a copy. */
const NOT_ENGLISH = /^\s*b[ạáàả]n(?!\p{L})/iu

interface Rule {
  readonly kind: CommitKind
  readonly wordIn: (text: string) => string | undefined
}

const lead = pattern(() => `${LEAD}$`)
const english = rulesOf(ENGLISH_WORDS, wordsBehindLead)
const englishOfForms = rulesOf(ENGLISH_FORM_WORDS, wordsBehindLead)
const outcomes = rulesOf(ENGLISH_OUTCOMES, (words) =>
  firstOf(() => `${WILL}(?<word>${words})${LAST}`),
)
const others = Object.entries({ ...LATIN_WORDS, ...OTHER_SCRIPTS }).map(([language, words]) => {
  const sourceOf = (parts: string): string =>
    WITHOUT_GAPS.has(language) ? `(?<word>${parts})` : `${FIRST}(?<word>${parts})${LAST}`
  return {
    /** Most names match no word of a language. The expressions of its rules are then never built. */
    anyWord: pattern(() => sourceOf(Object.values(words).join('|'))),
    rules: rulesOf(words, (parts) => firstOf(() => sourceOf(parts))),
  }
})
const harmless = pattern(() => HARMLESS_REMOVALS)
const consents = beginningWith(CONSENTS, CONSENTS_WITHOUT_GAPS)
const saves = beginningWith(SAVES, SAVES_WITHOUT_GAPS)
const declines = pattern(() => `^[^${LETTERS_AND_NUMBERS}×✕✖]*(?:${DECLINES})${LAST}`)

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
  for (const { kind, wordIn } of rulesFor(name, of, text)) {
    const word = wordIn(text)
    if (word && !(kind === 'deletes' && harmless().test(clauseOf(text, word))))
      return { kind, word }
  }
  return null
}

function* rulesFor(name: string, of: Named, text: string): Generator<Rule> {
  if (!NOT_ENGLISH.test(name.normalize('NFC'))) {
    yield* english
    if (of === 'ending') yield* [...englishOfForms, ...outcomes]
  }
  for (const { anyWord, rules } of others) if (anyWord().test(text)) yield* rules
}

/** "Remove from cart and delete account" is not about a cart. */
function clauseOf(text: string, word: string): string {
  return text.split(/ (?:and|&|then|\+) /).find((clause) => clause.includes(word)) ?? text
}

/** Whether a name says that what is asked is not done. */
export function readDecline(name: string): boolean {
  return declines().test(foldWords(name.slice(0, LONG)).trim())
}

/** Whether a name only agrees to what its form or dialog asks: "OK", "Yes". So does an icon. */
export function readConsent(name: string): boolean {
  const text = foldWords(name.slice(0, LONG)).trim()
  return !/[\p{L}\p{N}]/u.test(text) || consents().test(text)
}

/** Whether a name says that what was entered is kept: "Save changes". */
export function readSaving(name: string): boolean {
  return saves().test(foldWords(name.slice(0, LONG)).trim())
}

/** Whether what a name says is about a cart, or about a filter. */
export function isHarmless(name: string): boolean {
  return harmless().test(foldWords(name.slice(0, LONG)))
}

/** By convention, three points say that something is asked first. */
function opensMore(name: string): boolean {
  return /(?:\.{3}|…)\s*$/.test(name)
}

function rulesOf(words: CommitWords, finder: (words: string) => Rule['wordIn']): Rule[] {
  return (Object.entries(words) as [CommitKind, string][]).map(([kind, parts]) => ({
    kind,
    wordIn: finder(parts),
  }))
}

function firstOf(sourceOf: () => string): Rule['wordIn'] {
  const words = pattern(sourceOf)
  return (text) => words().exec(text)?.groups?.['word']
}

/**
 * Finds the last word that only a lead stands before. The lead has an expression of its own: in one with the words, V8
 * takes seven times as long to compile them.
 */
function wordsBehindLead(words: string): Rule['wordIn'] {
  const found = pattern(() => `(?<word>${words})${LAST}`, 'g')
  return (text) => {
    const each = found()
    let word: string | undefined
    for (let match = each.exec(text); match; match = each.exec(text)) {
      if (lead().test(text.slice(0, match.index))) word = match.groups?.['word']
      // "Please sign" has "e sign" in it.
      each.lastIndex = match.index + 1
    }
    return word
  }
}

function beginningWith(words: string, withoutGaps: string): () => RegExp {
  return pattern(() => `^[^${LETTERS_AND_NUMBERS}]*(?:(?:${words})${LAST}|${withoutGaps})`)
}

/** The source is folded as names are. */
function pattern(sourceOf: () => string, flags?: string): () => RegExp {
  return lazyPattern(() => foldLetters(sourceOf()), flags)
}
