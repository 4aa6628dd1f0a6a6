import { isCustomStorage, type StorageConfig } from '../protocol/conversation.ts'
import { badConfig } from './failures.ts'
import { OPTION_NAMES } from './option-names.ts'

type Owner = keyof typeof OPTION_NAMES

export interface NamesCheck {
  /** What the options are of, for people. */
  readonly of?: string
  allows?(name: string, value: unknown): boolean
}

/**
 * Throws for an option that there isn't, at any depth, with the one that was probably meant or those that
 * there are, and for a value of the wrong kind.
 */
export function checkNames(
  value: unknown,
  owner: Owner,
  { of = owner, allows }: NamesCheck = {},
): void {
  if (Array.isArray(value)) return value.forEach((item) => checkNames(item, owner, { of }))
  const specs = specsOf(owner)
  for (const [name, inner] of entriesOf(value, owner, of)) {
    const spec = specs.find((each) => each[0] === name)
    if (!spec) {
      if (allows?.(name, inner)) continue
      throw badConfig(`${of} has no ${name}. ${hint(name, owner)}`)
    }
    if (inner === undefined) continue
    const kinds = spec[2]?.split('|')
    const isWord = spec[1] === '=' && kinds?.includes(inner as string)
    if (kinds && !isWord && !kinds.includes(kindOf(inner)))
      throw badConfig(`${name} of ${of} must be ${kinds.join(' or ')}.`)
    // A model is checked apart: its provider may have options of its own.
    if (Object.hasOwn(OPTION_NAMES, name) && name !== 'model' && !isWord && !isPlain(inner, name))
      checkNames(inner, name as Owner, { of: `${name} of ${of}` })
  }
}

/** What stands in the place of options and has none; its kind was checked. */
function isPlain(value: unknown, name: string): boolean {
  if (name === 'storage') return isCustomStorage(value as StorageConfig)
  return typeof value === 'number' || value === false || (value === true && name === 'titles')
}

/** Control tools are a list of names. */
function entriesOf(value: unknown, owner: Owner, of: string): [name: string, value?: unknown][] {
  if (owner === 'controlTools') return [[String(value)]]
  if (typeof value === 'object' && value !== null) return Object.entries(value)
  throw badConfig(`${of} must be an object.`)
}

/** Each option's name, and what follows: a sign and the kinds. */
function specsOf(owner: Owner): string[][] {
  return OPTION_NAMES[owner].split(' ').map((spec) => spec.split(/([:=])/))
}

function namesOf(owner: Owner): string[] {
  return specsOf(owner).map(([name = '']) => name)
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') return value >= 0 ? 'number' : 'negative'
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
}

/** A known option with other letter cases or signs (`base_url`), or with so many letters changed. */
export function isMisspelt(name: string, owner: Owner, letters = 0): boolean {
  return namesOf(owner).some((known) => isWithin(letters, plain(name), plain(known)))
}

/** What other libraries call it. */
const ALIASES: { readonly [name: string]: string } = {
  parameters: 'inputSchema',
  system: 'instructions',
  systemprompt: 'instructions',
  maxtokens: 'maxOutputTokens',
  claude: 'anthropic',
  custom: 'openai-compatible',
  opensource: 'openai-compatible',
}

/** What was probably meant here, else what has this name elsewhere, else all that there is: never a guess. */
function hint(name: string, owner: Owner): string {
  const word = plain(ALIASES[plain(name)] ?? name)
  const known = namesOf(owner)
  const near = nearest(name, known)
  if (near) return `Did you mean ${near}?`
  for (const place in OPTION_NAMES) {
    const same = namesOf(place as Owner).find((other) => word === plain(other))
    if (same) return `Did you mean ${same} of ${place}?`
  }
  return `It has ${known.join(', ')}.`
}

/** The name that was probably meant, of those that are known. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const word = plain(ALIASES[plain(name)] ?? name)
  for (let edits = 0; edits * 2 < word.length; edits++) {
    const near = known.find((other) => isNear(word, plain(other), edits))
    if (near) return near
  }
  return undefined
}

/** For a name that isn't known: what was probably meant, else all that there is. */
export function hintAmong(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near ? `Did you mean ${near}?` : `It has ${known.join(', ')}.`
}

/**
 * With so many edits, fewer than half of it, none for the same. After the same come parts, of three letters at least, as
 * `approval` is of `needsApproval`.
 */
function isNear(word: string, other: string, edits: number): boolean {
  if (edits > 0 && (word.includes(other) || (word[2] && other.includes(word)))) return true
  return edits * 2 < other.length && isWithin(edits, word, other)
}

function plain(name: string): string {
  return name.toLowerCase().replace(/\W|_/g, '')
}

/** Whether so many edits make one of the other: a letter more, less or changed, or two exchanged. */
function isWithin(edits: number, from: string, to: string): boolean {
  if (Math.abs(from.length - to.length) > edits) return false
  if (!from) return true
  const after = (letters: number, others: number, more = 1): boolean =>
    isWithin(edits - more, from.slice(letters), to.slice(others))
  if (from[0] === to[0]) return after(1, 1, 0)
  if (from[0] === to[1] && from[1] === to[0] && after(2, 2)) return true
  return after(1, 1) || after(1, 0) || after(0, 1)
}
