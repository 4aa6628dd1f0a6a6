import { badConfig } from './failures.ts'

/** The names of an object's options: 1, or the names that may stand in the option's own value. */
export interface OptionNames {
  readonly [name: string]: 1 | OptionNames
}

/** Throws for a name that isn't one of these, at any depth, with the one that was probably meant. */
export function checkNames(
  value: unknown,
  names: OptionNames,
  { of, allows }: { readonly of: string; allows?(name: string, value: unknown): boolean },
): void {
  if (Array.isArray(value)) for (const item of value) checkNames(item, names, { of })
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      const known = Object.hasOwn(names, name) ? names[name] : undefined
      if (!known && !allows?.(name, inner))
        throw badConfig(
          `There is no option ${name} in ${of}. Did you mean ${nearest(name, Object.keys(names))}?`,
        )
      if (typeof known === 'object') checkNames(inner, known, { of: `${name} of ${of}` })
    }
}

/** The same letters and digits: `base_url` and `baseURL`. */
export function isSpelling(name: string, names: OptionNames): boolean {
  return Object.keys(names).some((known) => plain(known) === plain(name))
}

export function isNear(name: string, names: OptionNames): boolean {
  return Object.keys(names).some((known) => distance(plain(name), plain(known)) < 3)
}

/** What other libraries call it. */
const ALIASES: { readonly [name: string]: string } = {
  parameters: 'inputSchema',
  handler: 'execute',
  system: 'instructions',
}

export function nearest(name: string, known: readonly string[]): string {
  const alias = Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined
  if (alias && known.includes(alias)) return alias
  const word = plain(name)
  const far = (other: string): number =>
    other.includes(word) || word.includes(other) ? 1 : distance(word, other)
  const [first = ''] = known.toSorted((a, b) => far(plain(a)) - far(plain(b)))
  return first
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Levenshtein's. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (let at = 0; at < to.length; at++)
      next.push(
        Math.min(
          (next[at] ?? 0) + 1,
          (row[at + 1] ?? 0) + 1,
          (row[at] ?? 0) + (to[at] === letter ? 0 : 1),
        ),
      )
    row = next
  }
  return row.at(-1) ?? 0
}
