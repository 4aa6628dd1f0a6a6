import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findCommitWord } from '../../../src/page-tools/commits/read-commit.ts'
import { TAKEOVER_LABELS } from './takeover-labels.ts'

const docs = ['page-tools-rules', 'page-tools']
  .map((page) => readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8'))
  .join('\n')
const [, section = ''] = /### Names with an effect\n(.*?)\n##/s.exec(docs) ?? []

/** The names of a sentence that begins so. */
function namesIn(beginning: string): string[] {
  const [, names = ''] = new RegExp(`${beginning}(.*?)\\.(?:\\n|$)`, 's').exec(section) ?? []
  return names.split(/,\s+/)
}

test.each(namesIn('Requires approval: '))('"%s" requires approval, as documented', (name) =>
  expect(findCommitWord(name)).not.toBeNull(),
)

test.each(namesIn('Requires no approval: '))('"%s" requires no approval, as documented', (name) =>
  expect(findCommitWord(name)).toBeNull(),
)

test('the documented misses are all missed account-takeover labels', () => {
  expect(namesIn('Missed: ')).toEqual(
    TAKEOVER_LABELS.filter((name) => findCommitWord(name) === null),
  )
  expect(section).toContain(`Of ${TAKEOVER_LABELS.length} English labels`)
})
