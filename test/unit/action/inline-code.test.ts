import { describe, expect, it } from 'vitest'
import { cut, stream, toOutcome, tools } from './harness.ts'

/** Marks that would count outside of code. */
const marks = [
  '<ACTION><list_tabs/></ACTION>',
  '<think>',
  '<|START_THINKING|>',
  '</think>',
  '<tool_call>{"name":"list_tabs","arguments":{}}</tool_call>',
]
const afterwards = ['\nand more', '\n\nand more', '\r\nand more', ' and more', '.\nand more', '']

describe('inline code (R3)', () => {
  it.each(marks)('closes before any text after its last backtick, around %s', (mark) => {
    for (const after of afterwards) {
      for (const run of ['`', '``']) {
        const output = `One writes ${run}${mark}${run}${after}`
        for (const rescue of [false, true]) {
          for (const size of [Infinity, 1, 3]) {
            const parts = stream(cut(output, size), tools, { rescue })
            expect(parts.filter(({ type }) => type !== 'text-delta')).toEqual([])
            expect(toOutcome(parts).text).toBe(output)
          }
        }
      }
    }
  })

  describe('longer than the reader waits for its end', () => {
    const far = 'x'.repeat(2500)
    const search = (query: string): string =>
      `<tool_call>{"name":"search","arguments":{"query":"${query}"}}</tool_call>`
    const block = `<ACTION><search><query>${far}</query></search></ACTION>`
    const next = `\n\n${search('cats')}`
    const outcomes = (output: string, rescue: boolean): unknown[] => {
      const read = [Infinity, 1, 7, 64, 2001].map((size) => {
        const parts = stream(cut(output, size), tools, { rescue })
        const { text, calls, error } = toOutcome(parts)
        const codes = parts.map((part) => (part.type === 'warning' ? part.code : '')).join('')
        return { text, calls: calls.map(({ input }) => input), error, codes }
      })
      for (const other of read) expect(other).toEqual(read[0])
      return Object.values(read[0] ?? {})
    }

    it('contains no call, closed or not', () => {
      for (const rescue of [false, true]) {
        for (const quoted of [`A \`${search(far)}\` b`, `A \` ${search(far)}`, `A \`${block}\``])
          expect(outcomes(quoted, rescue)).toEqual([quoted, [], null, ''])
        const closed = `A \`${'x'.repeat(2500)}\` b`
        expect(outcomes(closed + next, rescue)).toEqual([closed, [{ query: 'cats' }], null, ''])
      }
      const quoted = `A \`${search(far)}\` b`
      expect(outcomes(quoted + next, false)).toEqual([quoted, [{ query: 'cats' }], null, ''])
      const beside = `A \`${search(far)}\` and ${search('cats')}`
      expect(outcomes(beside, false)[1]).toEqual([{ query: 'cats' }])
    })

    it('can begin and end reasoning, in which no call runs', () => {
      for (const rescue of [false, true]) {
        const thought = `A \` <think>${far}${next}`
        expect(outcomes(thought, rescue).slice(1)).toEqual([[], null, 'call-in-reasoning'])
        for (const before of ['', `${search('x').slice(0, 30)} `]) {
          const ended = `${search('cats')}\nA \` ${before}b</think>${far}\nHi`
          expect(outcomes(ended, rescue).slice(1)).toEqual([[], null, 'lone-think-closer'])
        }
      }
    })
  })

  it('is plain text when its line does not close it', () => {
    for (const size of [Infinity, 1, 3]) {
      const output = 'A ` alone\n<ACTION><list_tabs/></ACTION>'
      expect(toOutcome(stream(cut(output, size), tools)).calls).toHaveLength(1)
      const thought = 'A ` and <think>so\n</think>Hello'
      expect(toOutcome(stream(cut(thought, size), tools)).text).toBe('A ` and Hello')
    }
  })
})
