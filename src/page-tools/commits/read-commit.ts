import { foldLetters, foldWords, LETTERS, LETTERS_AND_NUMBERS } from '../../lib/fold-words.ts'
import { withLatinLetters } from '../../lib/look-alikes.ts'
import { lazyPattern } from '../../lib/once.ts'
import {
  type CommitWords,
  ENGLISH,
  ENGLISH_OF_FORMS,
  OTHERS,
  WITHOUT_GAPS,
} from './commit-words.ts'
import {
  CONSENTS,
  CONSENTS_WITHOUT_GAPS,
  DECLINES,
  HARMLESS_REMOVALS,
  SAVES,
  SAVES_WITHOUT_GAPS,
} from './title-words.ts'

/** Before the verb of an English name: an icon, "Yes, delete", "Confirm & pay", "Add to cart and pay", "Permanently delete". */
const LEAD = `^[^${LETTERS_AND_NUMBERS}]*(?:(?:yes|ok|okay|now|please|proceed to|continue to|i agree,?|agree and|permanently|really|quick|instantly|express|bulk|force|hard|one click|1 click|securely|safely|just|are you sure (?:that )?(?:you (?:want|wish|would like) )?to|do you (?:really )?want to|you are about to|this will)[ ,:;!]*)*(?:(?:(?:add|remove|move|clear|empty|take|save|keep|apply|accept|agree|read|review|check|update|close) [${LETTERS}]+(?: [${LETTERS}]+){0,4}|[${LETTERS}]+) (?:and|&|then|\\+) )?`
const FIRST = `(?<![${LETTERS_AND_NUMBERS}])`
const LAST = `(?![${LETTERS_AND_NUMBERS}])`
const LONG = 120
/** Vietnamese, without its accents "ban": you, to sell, a table, a copy. */
const NOT_ENGLISH = /^\s*b[ạáàả]n(?!\p{L})/iu

interface Rule {
  readonly kind: keyof CommitWords
  /** The word that commits, in a folded text. */
  readonly wordIn: (text: string) => string | undefined
}

const lead = pattern(() => `${LEAD}$`)
const english = rulesOf(ENGLISH, wordsBehindLead)
const ofForms: Rule = { kind: 'acts', wordIn: wordsBehindLead(ENGLISH_OF_FORMS) }
const others = [
  ...OTHERS.flatMap((words) => rulesOf(words, (word) => firstOf(`${FIRST}(?:${word})${LAST}`))),
  ...WITHOUT_GAPS.flatMap((words) => rulesOf(words, firstOf)),
]
const harmless = pattern(() => HARMLESS_REMOVALS)
const consents = beginningWith(CONSENTS, CONSENTS_WITHOUT_GAPS)
const saves = beginningWith(SAVES, SAVES_WITHOUT_GAPS)
const declines = pattern(() => `^[^${LETTERS_AND_NUMBERS}×✕✖]*(?:${DECLINES})${LAST}`)

/** What has a name: a control, or what ends a form or a dialog, be it a control of it or its title. */
export type Named = 'control' | 'ending'

/** The word of a name that says that its control commits a person to something. Null: none. */
export function readCommit(name: string, of: Named = 'control'): string | null {
  // By convention, three points say that something is asked first.
  if (/(?:\.{3}|…)\s*$/.test(name)) return null
  const start = name.slice(0, LONG)
  const latin = withLatinLetters(start)
  const found = commitIn(start, of)
  return found ?? (latin === start ? null : commitIn(latin, of))
}

function commitIn(name: string, of: Named): string | null {
  const text = foldWords(name).trim()
  const isEnglish = !NOT_ENGLISH.test(name.normalize('NFC'))
  const rules = [...(isEnglish ? english : []), ...(of === 'ending' ? [ofForms] : []), ...others]
  for (const { kind, wordIn } of rules) {
    const word = wordIn(text)
    if (word && !(kind === 'removes' && harmless().test(clauseOf(text, word)))) return word
  }
  return null
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

/** An address is a request to act: its path has a verb as one of its parts, or its query says so. */
const ACTING_ADDRESS =
  /[/?&=](delete|destroy|erase|purge|deactivate|terminate|cancel|unsubscribe|log-?out|sign-?out|revoke|approve|accept|confirm(?:ed)?|grant|promote|disable|reset|remove)(?=[/?&=#.]|$)|\/(pay|buy|send|transfer|withdraw|invite|publish|checkout|subscribe)\/?\?./i

/** The word of an address that says that opening it acts: `/account/delete?confirm=1`. Null: none. */
export function readAddress({ pathname, search }: URL): string | null {
  const address = pathname + search
  if (isHarmless(address)) return null
  const [, verb, sending] = ACTING_ADDRESS.exec(address) ?? []
  return verb ?? sending ?? null
}

function rulesOf(
  { acts, removes }: CommitWords,
  finder: (words: string) => Rule['wordIn'],
): readonly Rule[] {
  return [
    ...acts.map((words): Rule => ({ kind: 'acts', wordIn: finder(words) })),
    { kind: 'removes', wordIn: finder(removes) },
  ]
}

function firstOf(words: string): Rule['wordIn'] {
  const found = pattern(() => words)
  return (text) => found().exec(text)?.[0]
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
