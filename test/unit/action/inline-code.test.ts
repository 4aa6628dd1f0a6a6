import { describe, expect, it } from 'vitest'
import { cut, stream, toOutcome, tools } from './harness.ts'

/** What would count outside of code. */
const marks = [
  '<ACTION><list_tabs/></ACTION>',
  '<think>',
  '<|START_THINKING|>',
  '</think>',
  '<tool_call>{"name":"list_tabs","arguments":{}}</tool_call>',
]
const afterwards = ['\nand more', '\n\nand more', '\r\nand more', ' and more', '.\nand more', '']

describe('inline code (R3)', () => {
  it.each(marks)('is closed before whatever follows its last backtick, around %s', (mark) => {
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

  it('that its line does not close is none', () => {
    for (const size of [Infinity, 1, 3]) {
      const output = 'A ` alone\n<ACTION><list_tabs/></ACTION>'
      expect(toOutcome(stream(cut(output, size), tools)).calls).toHaveLength(1)
      const thought = 'A ` and <think>so\n</think>Hello'
      expect(toOutcome(stream(cut(thought, size), tools)).text).toBe('A ` and Hello')
    }
  })
})
