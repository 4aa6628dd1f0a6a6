import { expect, test } from 'vitest'
import { randomId } from '../../src/lib/random-id.ts'

test('ids are different from each other, beyond what random bytes are fetched at once', () => {
  const ids = Array.from({ length: 500 }, randomId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[\w-]{16}$/)
})
