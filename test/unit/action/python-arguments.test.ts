import { expect, it } from 'vitest'
import { cut, stream, toOutcome, tools } from './harness.ts'

/** Nothing of them may be dropped, and nothing chosen. */
const unclear = [
  'search(query="a", limit=1,000)',
  'search("b", query="a", limit=3)',
  'search(query="a", limit=3, query="b")',
  'search("a", 3, true, 4)',
]

it.each(unclear)('%s is invalid, and no part of it is dropped (R9)', (call) => {
  for (const output of [call, `[${call}]`, `<|python_start|>[${call}]<|python_end|>`]) {
    for (const rescue of [false, true]) {
      for (const size of [Infinity, 1]) {
        const { calls, error } = toOutcome(stream(cut(output, size), tools, { rescue }))
        expect([calls, error], output).toEqual([[], 'invalid_params'])
      }
    }
  }
})

it('arguments without names before named ones are read in order', () => {
  const { calls } = toOutcome(stream(['search("a", limit=3)'], tools))
  expect(calls).toEqual([{ toolName: 'search', input: { query: 'a', limit: 3 } }])
})
