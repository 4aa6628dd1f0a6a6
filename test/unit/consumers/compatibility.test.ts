import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { definedTables, DOCUMENT, documentedRows } from '../../consumers/compatibility.ts'

describe('docs/compatibility.md', () => {
  for (const { name, head, rows } of definedTables()) {
    test(`shows the ${name} that are tested, in the versions that are installed`, () => {
      const documented = documentedRows(readFileSync(DOCUMENT, 'utf8'), name)
      // Else: npm run test:consumers
      expect(documented.map((cells) => cells.slice(0, head.length))).toEqual(rows)
    })
  }
})
