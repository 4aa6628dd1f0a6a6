import { expect, test } from 'vitest'
import { filesBelow, read } from './sources.ts'

interface Citation {
  readonly file: string
  readonly rule: string
}

const sources = filesBelow('src', '.ts')
const tests = ['test/unit/action', 'test/unit/worker', 'test/unit/providers', 'test/unit/testing']
  .flatMap((folder) => filesBelow(folder, '.ts'))
  .concat('test/fixtures/action/rule-cases.json')

function citations(files: readonly string[], pattern: RegExp): Citation[] {
  return files.flatMap((file) =>
    [...read(file).matchAll(pattern)].map(([rule]) => ({ file, rule })),
  )
}

function counted(letter: string, rules: readonly string[]): string[] {
  const count = rules.filter((rule) => rule.startsWith(letter)).length
  return Array.from({ length: count }, (_, at) => `${letter}${at + 1}`)
}

test('every cited rule is in the specification, and every rule in it is tested', () => {
  const pattern = /\b[RQ]\d{1,2}\b/g
  const rules = [...read('docs/action-spec.md').matchAll(/^### ([RQ]\d+): /gm)].map(
    ([, rule]) => rule ?? '',
  )
  expect(rules).toEqual([...counted('R', rules), ...counted('Q', rules)])
  expect(rules).toHaveLength(24)
  const documents = filesBelow('docs', '.md')
  const all = citations([...sources, ...tests, ...documents], pattern)
  expect(all.filter(({ rule }) => !rules.includes(rule))).toEqual([])
  const tested = new Set(citations(tests, pattern).map(({ rule }) => rule))
  expect(rules.filter((rule) => !tested.has(rule))).toEqual([])
})

test('every cited quirk of an endpoint is described, and every described one is tested', () => {
  const pattern = /\b[OGPAT]\d{1,2}\b/g
  const rows = [...read('docs/providers/quirks.md').matchAll(/^\| ([OGPAT]\d+) +\|/gm)].map(
    ([, row]) => row ?? '',
  )
  const groups = ['O', 'G', 'P', 'A', 'T'].flatMap((letter) => counted(letter, rows))
  expect(rows).toEqual(groups)
  expect(rows).toHaveLength(108)
  const own = sources.filter((file) => file.startsWith('src/providers/'))
  const tests = ['test/unit/providers', 'test/fixtures/providers'].flatMap((folder) =>
    filesBelow(folder, '.ts'),
  )
  expect(citations([...own, ...tests], pattern).filter(({ rule }) => !rows.includes(rule))).toEqual(
    [],
  )
  const tested = new Set(citations(tests, pattern).map(({ rule }) => rule))
  expect(rows.filter((row) => !tested.has(row))).toEqual([])
})
