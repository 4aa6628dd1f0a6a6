import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { inProject } from '../project.mjs'
import { mutantsOf, withSwitches } from './mutants.mjs'
import { TARGETS } from './targets.mjs'

/**
 * All mutants of all targets. A mutant's number is its index in the list. Its id stays the same when other lines of its
 * file change.
 */
export function planMutants() {
  return Object.entries(TARGETS)
    .flatMap(([group, entries]) =>
      entries.flatMap(filesIn).flatMap((file) => planFile(group, file)),
    )
    .map((mutant, number) => ({ ...mutant, number }))
}

/** A target's source with a switch for each of its mutants, by its path. */
export function instrument(mutants) {
  const files = new Set(mutants.map(({ file }) => file))
  return new Map(
    [...files].map((file) => {
      const first = mutants.findIndex((mutant) => mutant.file === file)
      const fileMutants = mutants.filter((mutant) => mutant.file === file)
      return [
        inProject(file),
        withSwitches(readFileSync(inProject(file), 'utf8'), fileMutants, first),
      ]
    }),
  )
}

/** In random order, which the seed repeats: each beginning of it is a fair sample. */
export function shuffle(mutants, seed) {
  return mutants
    .map((mutant) => ({ mutant, rank: digest(seed, mutant.id) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ mutant }) => mutant)
}

/** Killed of those that were tried: a mutant that no test reaches survives. */
export function scoreOf(results) {
  const killed = results.filter(({ outcome }) => outcome !== 'survived').length
  const timedOut = results.filter(({ outcome }) => outcome === 'timed out').length
  const share = results.length === 0 ? 0 : killed / results.length
  return { tried: results.length, killed, timedOut, percent: Math.round(1000 * share) / 10 }
}

function planFile(group, file) {
  const source = readFileSync(inProject(file), 'utf8')
  const lines = source.split('\n')
  const counts = new Map()
  return mutantsOf(source).map((mutant) => {
    const { start, end, kind, text } = mutant
    const line = source.slice(0, start).split('\n').length
    const before = source.slice(start, end)
    const key = [file, kind, before, text, lines[line - 1].trim()].join('\n')
    const times = counts.get(key) ?? 0
    counts.set(key, times + 1)
    return { ...mutant, id: digest(key, times), group, file, line, before, after: text || ';' }
  })
}

function filesIn(entry) {
  if (!entry.endsWith('/')) return [entry]
  return readdirSync(inProject(entry))
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .map((name) => entry + name)
}

function digest(...words) {
  return createHash('sha256').update(words.join('\n')).digest('hex').slice(0, 16)
}
