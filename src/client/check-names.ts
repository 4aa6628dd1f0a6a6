import { isCustomStorage, type StorageConfig } from '../protocol/conversation.ts'
import { badConfig } from './failures.ts'
import { OPTION_NAMES } from './option-names.ts'

type Owner = keyof typeof OPTION_NAMES

export interface NamesCheck {
  /** Owner of the options, as people read it in the error. */
  readonly of?: string
  allows?(name: string, value: unknown): boolean
}

/**
 * Throws for an unknown option at any depth, with the likely one or a list of all, and for a value of the wrong kind.
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
    // Models are checked separately: a provider may have its own options.
    if (Object.hasOwn(OPTION_NAMES, name) && name !== 'model' && !isWord && !isPlain(inner, name))
      checkNames(inner, name as Owner, { of: `${name} of ${of}` })
  }
}

/** True for a value that stands for an options object but has no options. Its kind was checked before. */
function isPlain(value: unknown, name: string): boolean {
  if (name === 'storage') return isCustomStorage(value as StorageConfig)
  return typeof value === 'number' || value === false || (value === true && name === 'titles')
}

/** Returns name and value of each option. Control tools are a list of names. */
function entriesOf(value: unknown, owner: Owner, of: string): [name: string, value?: unknown][] {
  if (owner === 'controlTools') return [[String(value)]]
  if (typeof value === 'object' && value !== null) return Object.entries(value)
  throw badConfig(`${of} must be an object.`)
}

/** Splits each option into its name, a sign (`:` or `=`) and its allowed kinds. */
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

/** True for a known option in another case or punctuation (`base_url`), or within `letters` edits. */
export function isMisspelt(name: string, owner: Owner, letters = 0): boolean {
  return namesOf(owner).some((known) => isWithin(letters, plain(name), plain(known)))
}

/** Names that other libraries use. */
const ALIASES: { readonly [name: string]: string } = {
  parameters: 'inputSchema',
  system: 'instructions',
  systemprompt: 'instructions',
  maxtokens: 'maxOutputTokens',
  claude: 'anthropic',
  custom: 'openai-compatible',
  opensource: 'openai-compatible',
}

/** Suggests the likely option here, else the option of that name elsewhere. Else lists all options. */
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

/** Returns the known name that was probably meant. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const word = plain(ALIASES[plain(name)] ?? name)
  for (let edits = 0; edits * 2 < word.length; edits++) {
    const near = known.find((other) => isNear(word, plain(other), edits))
    if (near) return near
  }
  return undefined
}

/** Suggests the known name that was probably meant, else lists all. */
export function hintAmong(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near ? `Did you mean ${near}?` : `It has ${known.join(', ')}.`
}

/**
 * Whether two names match within `edits` edits, fewer than half of the letters. From one edit on, a part of at least
 * three letters matches, too: `approval` matches `needsApproval`.
 */
function isNear(word: string, other: string, edits: number): boolean {
  if (edits > 0 && (word.includes(other) || (word[2] && other.includes(word)))) return true
  return edits * 2 < other.length && isWithin(edits, word, other)
}

function plain(name: string): string {
  return name.toLowerCase().replace(/\W|_/g, '')
}

/** Whether `edits` edits turn one name into the other. An edit adds, removes or changes a letter, or swaps two. */
function isWithin(edits: number, from: string, to: string): boolean {
  if (Math.abs(from.length - to.length) > edits) return false
  if (!from) return true
  const after = (letters: number, others: number, more = 1): boolean =>
    isWithin(edits - more, from.slice(letters), to.slice(others))
  if (from[0] === to[0]) return after(1, 1, 0)
  if (from[0] === to[1] && from[1] === to[0] && after(2, 2)) return true
  return after(1, 1) || after(1, 0) || after(0, 1)
}
