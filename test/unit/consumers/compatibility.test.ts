import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  definedTables,
  DOCUMENT,
  documentedRows,
  withFindings,
  type Findings,
} from '../../consumers/compatibility.ts'
import { setups } from '../../consumers/setups.ts'
import { typeSetups } from '../../consumers/type-setups.ts'

const document = readFileSync(DOCUMENT, 'utf8')
const worker = new Map(setups.map((setup) => [setup.title, setup.worker]))

/** Findings if all tests passed. */
const expected: Findings = new Map(
  [...setups, ...typeSetups].map(({ title }) => {
    const kind = worker.get(title)
    return [title, { works: true, ...(kind && { worker: kind }) }]
  }),
)

describe('docs/compatibility.md', () => {
  for (const { name } of definedTables()) {
    test(`shows tested ${name}, in the installed versions, as working`, () => {
      const wanted = documentedRows(withFindings(document, expected), name)
      expect(documentedRows(document, name), 'To write it anew: npm run test:consumers').toEqual(
        wanted,
      )
    })
  }

  test('is not written when the markers of a table are missing', () => {
    const unmarked = document.replace('<!-- end of types -->', '')
    expect(() => withFindings(unmarked, expected)).toThrow('"types"')
  })

  test('shows what failed and what was missing', () => {
    const [first, second] = setups
    const rows = documentedRows(
      withFindings(document, new Map([[first?.title ?? '', { works: false, worker: 'inline' }]])),
      'set-ups',
    )
    expect(rows[0]?.slice(-2)).toEqual(['no', 'inline'])
    expect(rows[1]?.[0]).toBe(second?.title)
    expect(rows[1]?.slice(-2)).toEqual(['no', ''])
  })
})
