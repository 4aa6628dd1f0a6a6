import { badConfig } from './failures.ts'
import { OPTION_NAMES } from './option-names.ts'

type Owner = keyof typeof OPTION_NAMES

export interface NamesCheck {
  /** What the options are of, for people. */
  readonly of?: string
  allows?(name: string, value: unknown): boolean
}

/**
 * Throws for an option that there isn't, at any depth, with the one that was probably meant, and for a
 * value of the wrong kind.
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
      throw badConfig(`${of} has no ${name}. Did you mean ${nearest(name, namesOf(owner))}?`)
    }
    if (inner === undefined) continue
    const kinds = spec[2]?.split('|')
    const isWord = spec[1] === '=' && kinds?.includes(inner as string)
    if (kinds && !isWord && !kinds.includes(kindOf(inner)))
      throw badConfig(`${name} of ${of} must be ${kinds.join(' or ')}.`)
    // A model is checked apart: its provider may have options of its own.
    if (Object.hasOwn(OPTION_NAMES, name) && name !== 'model' && !isWord)
      checkNames(inner, name as Owner, { of: `${name} of ${of}` })
  }
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
  return namesOf(owner).some((known) => distance(plain(name), plain(known)) <= letters)
}

/** What other libraries call it. */
const ALIASES: { readonly [name: string]: string } = {
  parameters: 'inputSchema',
  system: 'instructions',
  systemprompt: 'instructions',
  maxtokens: 'maxOutputTokens',
}

export function nearest(name: string, known: readonly string[]): string {
  const word = plain(name)
  const far = (other: string): number => {
    const near = plain(other)
    if (ALIASES[word] === other || word === near) return 0
    return near.includes(word) || word.includes(near) ? 1 : distance(word, near)
  }
  return known.toSorted((a, b) => far(a) - far(b))[0] ?? ''
}

function plain(name: string): string {
  return name.toLowerCase().replace(/\W|_/g, '')
}

/** Levenshtein's. */
function distance(from: string, to: string): number {
  let row = Array.from(`${to} `, (_, index) => index)
  for (const [index, letter] of from.split('').entries()) {
    let left = index + 1
    row = row.map((above, at) => {
      if (at === 0) return left
      const corner = (row[at - 1] ?? 0) + (to[at - 1] === letter ? 0 : 1)
      left = Math.min(left + 1, above + 1, corner)
      return left
    })
  }
  return row.at(-1) ?? 0
}
