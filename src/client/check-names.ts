import { badConfig } from './failures.ts'
import { OPTION_NAMES } from './option-names.ts'

type Owner = keyof typeof OPTION_NAMES

/** Throws for an option that there isn't, at any depth, with the one that was probably meant. */
export function checkNames(
  value: unknown,
  owner: Owner,
  allows?: (name: string, value: unknown) => boolean,
): void {
  if (Array.isArray(value)) for (const item of value) checkNames(item, owner)
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      const known = namesOf(owner)
      if (known.includes(name)) {
        if (isOwner(name) && name !== 'model') checkNames(inner, name)
      } else if (!allows?.(name, inner))
        throw badConfig(
          `There is no option ${name} of ${owner}. Did you mean ${nearest(name, known)}?`,
        )
    }
}

function isOwner(name: string): name is Owner {
  return Object.hasOwn(OPTION_NAMES, name)
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
  handler: 'execute',
  system: 'instructions',
  maxtokens: 'maxOutputTokens',
}

export function nearest(name: string, known: readonly string[]): string {
  const word = plain(name)
  const far = (other: string): number => {
    const near = plain(other)
    if (ALIASES[word] === other) return 0
    return near.includes(word) || word.includes(near) ? 1 : distance(word, near)
  }
  return known.toSorted((a, b) => far(a) - far(b))[0] ?? ''
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Levenshtein's. */
function distance(from: string, to: string): number {
  let row = Array.from(`${to} `, (_, index) => index)
  for (const [index, letter] of [...from].entries()) {
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
