import { badConfig } from './failures.ts'
import { OPTION_NAMES } from './option-names.ts'

type Owner = keyof typeof OPTION_NAMES

/** Throws for an option that there isn't, at any depth, with the one that was probably meant. */
export function checkNames(
  value: unknown,
  owner: Owner,
  allows?: (name: string, value: unknown) => boolean,
): void {
  if (Array.isArray(value)) return value.forEach((item) => checkNames(item, owner))
  const known = namesOf(owner)
  for (const [name, inner] of entriesOf(value, owner))
    if (known.includes(name)) {
      // A model is checked apart: its provider may have options of its own.
      if (Object.hasOwn(OPTION_NAMES, name) && name !== 'model') checkNames(inner, name as Owner)
    } else if (!allows?.(name, inner))
      throw badConfig(`${owner} has no ${name}. Did you mean ${nearest(name, known)}?`)
}

/** Control tools are a list of names. */
function entriesOf(value: unknown, owner: Owner): [name: string, value?: unknown][] {
  if (owner === 'controlTools') return [[String(value)]]
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function namesOf(owner: Owner): string[] {
  return OPTION_NAMES[owner].split(' ')
}

/** A known option with other letter cases or signs (`base_url`), or with so many letters changed. */
export function isMisspelt(name: string, owner: Owner, letters = 0): boolean {
  return namesOf(owner).some((known) => distance(plain(name), plain(known)) <= letters)
}

/** What other libraries call it. */
const ALIASES: { readonly [name: string]: string } = {
  parameters: 'inputSchema',
  system: 'instructions',
  maxtokens: 'maxOutputTokens',
}

function nearest(name: string, known: readonly string[]): string {
  const word = plain(name)
  const far = (other: string): number => {
    const near = plain(other)
    if (ALIASES[word] === other) return 0
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
