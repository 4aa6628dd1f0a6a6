import { badConfig } from './failures.ts'
import { OPTION_NAMES } from './option-names.ts'

type Owner = keyof typeof OPTION_NAMES

/** Of values, by the sign after an option's name. `#`: 0 or more. */
const KINDS: { readonly [sign: string]: string } = {
  $: 'string',
  '#': 'number',
  '~': 'number',
  '?': 'boolean',
  '&': 'function',
  '@': 'array',
  '%': 'object',
}

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
  const known = specsOf(owner)
  const names = [...known.keys()]
  for (const [name, inner] of entriesOf(value, owner, of)) {
    const kinds = known.get(name)
    if (kinds === undefined) {
      if (!allows?.(name, inner))
        throw badConfig(`${of} has no ${name}. Did you mean ${nearest(name, names)}?`)
      continue
    }
    if (inner === undefined) continue
    // A model is checked apart: its provider may have options of its own.
    const hasNames = Object.hasOwn(OPTION_NAMES, name) && name !== 'model'
    if (!isOfKind(inner, kinds, hasNames))
      throw badConfig(`${name} of ${of} must be ${describeKinds(kinds)}.`)
    if (hasNames) checkNames(inner, name as Owner, { of: `${name} of ${of}` })
  }
}

/** Control tools are a list of names. Two options may be a word instead. */
function entriesOf(value: unknown, owner: Owner, of: string): [name: string, value?: unknown][] {
  if (owner === 'controlTools') return [[String(value)]]
  if (typeof value === 'object' && value !== null) return Object.entries(value)
  if (/^(storage|toolChoice)$/.test(owner) && typeof value === 'string') return []
  throw badConfig(`${of} must be an object.`)
}

/** The signs of each option. */
function specsOf(owner: Owner): Map<string, string> {
  return new Map(
    OPTION_NAMES[owner].split(' ').map((spec) => {
      const [name = ''] = spec.split(/\b(?=\W)/)
      return [name, spec.slice(name.length)]
    }),
  )
}

function isOfKind(value: unknown, kinds: string, hasNames: boolean): boolean {
  if (kinds.startsWith('='))
    return (
      wordsOf(kinds).includes(value as string) ||
      (hasNames && typeof value === 'object' && value !== null)
    )
  const kind = Array.isArray(value) ? 'array' : value === null ? '' : typeof value
  return (
    !kinds ||
    (kinds.split('').some((sign) => KINDS[sign] === kind) &&
      (kinds === '~' || !((value as number) < 0)))
  )
}

function describeKinds(kinds: string): string {
  return kinds.startsWith('=')
    ? `one of ${wordsOf(kinds).join(', ')}`
    : `of type ${kinds.replace(/\W/g, (sign) => ` or ${KINDS[sign]}`).slice(4)}`
}

function wordsOf(kinds: string): string[] {
  return kinds.slice(1).split('|')
}

/** A known option with other letter cases or signs (`base_url`), or with so many letters changed. */
export function isMisspelt(name: string, owner: Owner, letters = 0): boolean {
  return [...specsOf(owner).keys()].some((known) => distance(plain(name), plain(known)) <= letters)
}

/** What other libraries call it. */
const ALIASES: { readonly [name: string]: string } = {
  parameters: 'inputSchema',
  system: 'instructions',
  systemprompt: 'instructions',
  maxtokens: 'maxOutputTokens',
}

function nearest(name: string, known: readonly string[]): string {
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
