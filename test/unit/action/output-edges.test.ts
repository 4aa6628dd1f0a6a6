import { describe, expect, it } from 'vitest'
import { dialectTable } from './dialect-table.ts'
import { cut, stream, tool, toOutcome, tools } from './harness.ts'
import type { Outcome } from './harness.ts'
import { eachNth } from '../more.ts'

const search = { toolName: 'search', input: { query: 'cats' } }
const click = { toolName: 'click', input: { index: 7 } }

/** Text that a template or a model writes before the reply. None of it belongs to the reply. */
const headers = [
  '<|begin_of_text|><|start_header_id|>assistant<|end_header_id|>\n\n',
  '<|im_end|>\n<|im_start|>assistant\n',
  '</s>\n<s>',
  '<|im_start|>assistant\n',
  '<start_of_turn>model\n',
  '<|turn>model\n',
  '<|assistant|>',
  '<s>',
  '<bos>',
]
/** A byte order mark, a space of no width, a mark of direction, a space that doesn't break, a joiner. */
const invisible = ['\ufeff', '\u200b', '\u200e', '\u00a0', '\u200d']

const read = (output: string, rescue: boolean, size = 1000): Outcome =>
  toOutcome(stream(cut(output, size), tools, { rescue }))

describe('text before the reply (R4)', () => {
  it.each(headers)('is dropped: %j', (header) => {
    for (const rescue of [false, true])
      for (const size of [1, 2, 5, 1000]) {
        const parts = stream(cut(`${header}Hello.`, size), tools, { rescue })
        const shown = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')
        expect([size, shown]).toEqual([size, 'Hello.'])
        expect(read(`\n${header}Hello.`, rescue, size)).toEqual(read('\nHello.', rescue))
      }
  })

  it('is dropped when the output ends in it', () => {
    for (const header of headers)
      for (let at = 5; at <= header.length; at++)
        // R6: of what is cut off, fewer than four characters are text.
        if (!/<.{0,2}$/.test(header.slice(0, at)))
          expect(read(header.slice(0, at), true)).toMatchObject({ text: '', error: null })
  })

  it("ends no later reply, and another turn's header does not begin one", () => {
    expect(read('Hello.<|im_end|>\n<|im_start|>assistant\nMore.', false).text).toBe('Hello.')
    expect(read('<|im_end|>\n<|im_start|>user\nHello.', false).text).toBe('')
  })

  it.each(dialectTable.map((dialect) => [dialect.name, dialect] as const))(
    'hides no call that follows, and neither does invisible text: %s',
    (_, dialect) => {
      const output = `${dialect.write([search])}\n${dialect.write([click])}`
      for (const rescue of [false, true]) {
        const wanted = read(output, rescue).calls
        for (const start of eachNth(3, [...headers, ...invisible]))
          for (const size of [1, 1000])
            expect([start, read(start + output, rescue, size).calls]).toEqual([start, wanted])
        for (const end of [...invisible, '\n\u200b\n'])
          expect([end, read(output + end, rescue).calls]).toEqual([end, wanted])
      }
    },
  )
})

describe('several calls in native mode, when the first is quoted (Q2)', () => {
  const marked = dialectTable.filter(({ marker }) => marker === 'token' || marker === 'tag')
  it.each(marked.map((dialect) => [dialect.name, dialect] as const))(
    'are all text when the first is inside a line: %s',
    (_, dialect) => {
      for (const between of ['\n', '\n\n'])
        for (const size of [1, 1000]) {
          const output = `The page says ${dialect.write([search])}${between}${dialect.write([click])}`
          if (!dialect.thinks) expect(read(output, true, size).calls).toEqual([])
        }
    },
  )

  it('run when other text separates them from the quoted one', () => {
    const call = (id: number): string =>
      `<tool_call>\n{"name":"click","arguments":{"index":${id}}}\n</tool_call>`
    for (const between of ['. I go on.\n', '\nNow:\n'])
      expect(read(`It says ${call(1)}${between}${call(7)}`, true).calls).toEqual([click])
    for (const quote of [`> ${call(1)}`, `- ${call(1)}`, `"${call(1)}"`])
      expect(read(`It says:\n\n${quote}\n\n${call(7)}`, true).calls).toEqual([click])
  })
})

describe('harmony messages before text without a header', () => {
  const message = (name: string, input: object): string =>
    `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${JSON.stringify(input)}<|call|>`
  it('are all calls', () => {
    const first = message('search', search.input)
    const second = `<|start|>assistant${message('click', click.input)}`
    for (const rescue of [false, true])
      for (const size of [1, 1000])
        expect(read(`${first}${second}\nDone now.`, rescue, size)).toMatchObject({
          calls: [search, click],
          text: rescue ? 'Done now.' : '',
        })
  })
})

describe('a tool named like a wrapper (R18)', () => {
  const q = { q: { type: 'string' } }
  const call = (name: string): string => JSON.stringify({ name, arguments: { q: 'h' } })
  const outputs: Record<string, string> = {
    tool_calls: `<tool_calls>[\n${call('tool_calls')}\n]</tool_calls>`,
    tool_call: `<tool_call>\n${call('tool_call')}\n</tool_call>`,
    function_calls: '<function_calls>\nfunction_calls(q="h")\n</function_calls>',
    function_call: `<function_call> ${call('function_call')}`,
  }
  it.each(Object.entries(outputs))('is also read from the wrapper: %s', (name, output) => {
    for (const rescue of [false, true])
      for (const text of [output, `<ACTION>${output}</ACTION>`, `<${name}><q>h</q></${name}>`]) {
        const outcome = toOutcome(stream([text], [tool(name, q)], { rescue }))
        expect([text, outcome.calls]).toEqual([text, [{ toolName: name, input: { q: 'h' } }]])
      }
  })
})
