import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ENGLISH_WORDS } from '../../../src/page-tools/commits/english-words.ts'
import { readCommit } from '../../../src/page-tools/commits/read-commit.ts'

const docs = readFileSync(new URL('../../../docs/page-tools.md', import.meta.url), 'utf8')
const [, table = ''] = /### Names that commit\n(.*?)\n##/s.exec(docs) ?? []
const rows = [...table.matchAll(/^\| (?!-|the question)([a-z ]+?) +\| (.*?) *\|$/gm)].map(
  ([, kind = '', names = '']) => ({ kind, names: names.split(', ') }),
)
const plain = /Not asked about: (.*?)\./s.exec(table)?.[1]?.split(/,\s+/) ?? []

/** The alternatives of a pattern that stand in no group. */
function alternatives(pattern: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of pattern) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (character === '|' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

describe('the names in docs/page-tools.md', () => {
  test.each(rows.flatMap(({ kind, names }) => names.map((name) => [name, kind] as const)))(
    '"%s" %s',
    (name, kind) => expect(readCommit(name)?.kind).toBe(kind),
  )

  test.each(plain)('"%s" is not asked about', (name) => expect(readCommit(name)).toBeNull())

  test('there are some that are not asked about', () => expect(plain.length).toBeGreaterThan(10))

  test.each(Object.entries(ENGLISH_WORDS))('each word for what %s has one', (kind, pattern) => {
    const names = rows.find((row) => row.kind === kind)?.names ?? []
    const unnamed = alternatives(pattern).filter(
      (one) => !names.some((name) => new RegExp(`^(?:${one})(?!\\w)`).test(name.toLowerCase())),
    )
    expect(unnamed).toEqual([])
  })
})
