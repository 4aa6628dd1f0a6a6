import { expect, it, vi } from 'vitest'
import { findProblem } from '../../../src/worker/store/check-row.ts'

it('a question with too many fields is refused by its size, without reading them', () => {
  const normalize = vi.spyOn(String.prototype, 'normalize')
  const fields = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
  const row = { type: 'question-asked', runId: 'r', at: 1, path: ['c'], question: 'Which?' }
  expect(findProblem({ ...row, fields })).toBe(null)
  expect(normalize).toHaveBeenCalled()
  normalize.mockClear()
  const required = Array.from({ length: 100_000 }, () => 'a')
  expect(findProblem({ ...row, fields: { ...fields, required } })).toContain('fields')
  expect(normalize).not.toHaveBeenCalled()
  normalize.mockRestore()
})
