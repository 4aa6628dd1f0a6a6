import { bareName } from './foreign/foreign-call.ts'
import { plainName } from './suggest.ts'

/**
 * The registered name that a native call means. Either the same name, or the only one that differs just in
 * letter case, separators or a namespace (`functions.search`). Never guesses.
 */
export function meantName(name: string, registered: readonly string[]): string | undefined {
  if (registered.includes(name)) return name
  const wanted = new Set([plainName(name), plainName(bareName(name))])
  const [only, ...others] = registered.filter((candidate) => wanted.has(plainName(candidate)))
  return others.length === 0 ? only : undefined
}
