import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { houseFigures } from '../../../scripts/lib/house.mjs'

// These limits only go down. `npm run house` prints the figures.

it("module counts, folder sizes and small modules don't grow beyond their limits", () => {
  const { files, longest, rooms, fullest, small } = houseFigures()
  expect({ files, longest, rooms, fullest, small }).toEqual({
    files: expect.toSatisfy((count: number) => count <= 650),
    longest: expect.toSatisfy((lines: number) => lines <= 500),
    rooms: expect.toSatisfy((count: number) => count <= 16),
    fullest: expect.toSatisfy((count: number) => count <= 25),
    small: expect.toSatisfy((count: number) => count <= 17),
  })
})

it('lint patterns have no lookaround, for which the linter would silently match nothing', () => {
  const config = readFileSync('.oxlintrc.json', 'utf8')
  const patterns = [...config.matchAll(/"regex": "(.*)"/g)].map(([, pattern = '']) => pattern)
  expect(patterns.length).toBeGreaterThan(20)
  expect(patterns.filter((pattern) => /\(\?<?[=!]/.test(pattern))).toEqual([])
})
