import { bareName } from './foreign/foreign-call.ts'
import { plainName } from './suggest.ts'

/**
 * Which of the registered names a native call's name means: the same, else the only one that differs from
 * it just in letter case, separators or a namespace (`functions.search`). Never a guess.
 */
export function meantName(name: string, registered: readonly string[]): string | undefined {
  if (registered.includes(name)) return name
  const wanted = new Set([plainName(name), plainName(bareName(name))])
  const [only, ...others] = registered.filter((candidate) => wanted.has(plainName(candidate)))
  return others.length === 0 ? only : undefined
}
