import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAction } from '../../../src/action/index.ts'
import { CallFinder } from '../../../src/action/find-calls.ts'
import { writers } from './section-writers.ts'
import type { WrittenCall, Writer } from './section-writers.ts'
import { canonical, cut, stream, tool, toOutcome } from './harness.ts'
import { eachNth, someOf } from '../more.ts'

const tools = [
  tool('search', { query: { type: 'string' }, limit: { type: 'integer' } }, ['query']),
  tool('click', { index: { type: 'integer' } }, ['index']),
]
const call = (query: string): WrittenCall => ({ toolName: 'search', input: { query, limit: 5 } })

/** Strings that look like the formats' own closers, code or quotations. */
const strings = [
  'cats',
  'a "b" c',
  "it's",
  'x\ny',
  '{"a":[1]}',
  'x)] y',
  '[x](y)',
  '获取',
  'a & b',
  '',
  '```\nx\n```',
  '<tool_call>',
  '</tool_call>',
  '</parameter>',
  '</parameter></function>',
  '</invoke> x',
  '</function>',
  '</function_calls>',
  '</arg_value>',
  '<tool_call|>',
  '<|tool_call_end|>',
  '<｜tool▁call▁end｜>',
]
const anyCall: fc.Arbitrary<WrittenCall> = fc.oneof(
  fc.constant({ toolName: 'click', input: { index: 3 } }),
  fc.tuple(fc.constantFrom(...strings), fc.boolean()).map(([query, limited]) => ({
    toolName: 'search',
    input: limited ? { query, limit: 5 } : { query },
  })),
)
const prose = ['', '\n', '\n\nThen this.\n\n', '\nAnd 1 more:\n']
const inLine = [' and then ', ' x ']

const isWords = (write: Writer['write']): boolean => /^[a-z>]/.test(write([call('x')]))

function read(output: string, size: number, rescue: boolean): string {
  const { calls, error } = toOutcome(stream(cut(output, size), tools, { rescue }))
  return canonical({ calls, error })
}

describe('any list of calls, in one section or several (Q6)', () => {
  for (const [format, { write, forbids }] of Object.entries(writers)) {
    it(`reads back as the same list, with any strings and prose between: ${format}`, () => {
      const property = fc.property(
        fc.array(fc.array(anyCall, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        fc.nat(5),
        fc.constantFrom('', 'Ok.\n'),
        (sections, rescue, which, before) => {
          const allowed = sections.map((calls) =>
            calls.map((each) =>
              forbids?.test(String(each.input['query'] ?? '')) ? call('cats') : each,
            ),
          )
          // Native mode, and formats of words, want a section at the start of a line.
          const isLine = rescue || isWords(write)
          const between = isLine ? prose.slice(1) : [...prose, ...inLine]
          const output = before + allowed.map(write).join(between[which % between.length])
          const wanted = canonical({ calls: allowed.flat(), error: null })
          for (const size of [Infinity, 1, 4])
            expect([output, size, read(output, size, rescue)]).toEqual([output, size, wanted])
        },
      )
      fc.assert(property, { numRuns: someOf(40), seed: 11 })
    })

    it(`shows nothing and never runs another call when it is cut: ${format}`, () => {
      const output = write([call('cats and dogs')])
      for (const at of eachNth(
        4,
        Array.from({ length: output.length }, (_, index) => index + 1),
      )) {
        for (const rescue of [false, true]) {
          const parts = stream([output.slice(0, at)], tools, { rescue, finishReason: 'length' })
          const { calls } = toOutcome(parts)
          expect([at, calls.length > 0 ? calls : [call('cats and dogs')]]).toEqual([
            at,
            [call('cats and dogs')],
          ])
        }
      }
      const { text, calls } = toOutcome(stream(cut(`Ok.\n${output}`, 1), tools))
      expect([text, calls.length]).toEqual(['Ok.', 1])
    })

    it(`is an error with an unknown tool or a wrong type: ${format}`, () => {
      const unknown = parseAction(write([{ toolName: 'serch', input: { query: 'x' } }]), tools)
      expect(unknown).toMatchObject({ text: '', calls: [], error: { code: 'unknown_tool' } })
      const wrong = parseAction(write([{ toolName: 'click', input: { index: 'x' } }]), tools)
      expect(wrong).toMatchObject({ text: '', calls: [], error: { code: 'invalid_params' } })
    })

    it(`is recognised in untrusted text (Q3): ${format}`, () => {
      const finder = new CallFinder(tools)
      finder.addText(`A review:\n${write([call('cats')])}\nThat is all.`)
      expect(finder.hasCall('search', { query: 'cats', limit: 5 })).toBe(true)
      expect(finder.hasCall('search', { query: 'dogs', limit: 5 })).toBe(false)
    })
  }
})

describe('an unclosed section (Q6)', () => {
  const invoke = '<invoke name="search">\n<parameter name="query">y</parameter>\n</invoke>'
  const qwen =
    '<tool_call>\n<function=search>\n<parameter=query>y</parameter>\n</function>\n</tool_call>'
  const cases: Record<string, string> = {
    'an element': `<function_calls>\n<invoke name="search">\n<parameter name="query">x</parameter>\n</function_calls>\n<function_calls>\n${invoke}\n</function_calls>`,
    'a parameter': `<minimax:tool_call>\n<invoke name="search">\n<parameter name="query">x</invoke>\n</minimax:tool_call>\nand\n<minimax:tool_call>\n${invoke}\n</minimax:tool_call>`,
    'an element and its parameter': `<function_calls>\n<invoke name="search">\n<parameter name="query">x\n</function_calls>\nand\n<function_calls>\n${invoke}\n</function_calls>`,
    'a parameter without a wrapper': `<invoke name="search"><parameter name="query">x</invoke>\n${invoke}`,
    'an element of DeepSeek':
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="search">\n<｜DSML｜parameter name="query">x</｜DSML｜invoke>\n</｜DSML｜function_calls>\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="search">\n<｜DSML｜parameter name="query">y</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    'a raw parameter': `<tool_call>\n<function=search>\n<parameter=query>x\n</tool_call>\n${qwen}`,
    'a raw parameter, given again': `<function=search>\n<parameter=query>x\n<parameter=query>y</parameter>\n</function>`,
    'a string': `<tool_call>\n{"name":"search","arguments":{"query":"x}}\n</tool_call>\n<tool_call>\n{"name":"search","arguments":{"query":"y"}}\n</tool_call>`,
    'a string of Gemma':
      '<|tool_call>call:search{query:<|"|>x}<tool_call|><|tool_call>call:search{query:<|"|>y<|"|>}<tool_call|>',
    'a tag without a block': '<search><query>x</search>\n<search><query>y</query></search>',
  }
  it.each(Object.entries(cases))(
    'is an error, never one call merged with those after it: %s',
    (_, output) => {
      for (const size of [1, 5, 1000]) {
        const { text, calls, error } = toOutcome(stream(cut(output, size), tools))
        expect([text, calls]).toEqual(['', []])
        expect(error).toMatch(/malformed|invalid_params/)
      }
    },
  )

  it('ends an unclosed value at the end of its call', () => {
    const glm = (value: string): string =>
      `<tool_call>search\n<arg_key>query</arg_key><arg_value>${value}</tool_call>`
    const { calls } = parseAction(`${glm('x')}\n${glm('y</arg_value>')}`, tools)
    expect(calls.map(({ input }) => input)).toEqual([{ query: 'x' }, { query: 'y' }])
  })
})

describe('several calls in one block (R18)', () => {
  it('are all read, with or without prose between them', () => {
    const search = '<invoke name="search">\n<parameter name="query">x</parameter>\n</invoke>'
    for (const wrapper of ['function_calls', 'minimax:tool_call', 'tool_calls', 'tool_call']) {
      const section = `<${wrapper}>\n${search}\n</${wrapper}>`
      const output = `<ACTION>\n${section}\nThen:\n${section}\n</ACTION>`
      expect(parseAction(output, tools).calls).toHaveLength(2)
    }
  })

  it('in ReAct and Command R run in order, up to text the model invents', () => {
    const react = 'Action: search\nAction Input: {"query": "a"}\n'
    const observed = `${react}Thought: more\n${react}Observation: none\n${react}`
    expect(parseAction(observed, tools).calls).toHaveLength(2)
    const json = '[{"tool_name": "search", "parameters": {"query": "a"}}]'
    const command = `Action:\n\`\`\`json\n${json}\n\`\`\`\nAction: \`\`\`json\n${json}\n\`\`\``
    for (const size of [1, 1000]) {
      const outcome = toOutcome(stream(cut(command, size), tools))
      expect([outcome.text, outcome.calls.length]).toEqual(['', 2])
    }
  })
})

/** Where the word comes back: in a call, as text, as what was ignored, or with an error. */
function keeps(output: string, word: string, rescue: boolean): string[] {
  return [output.length, 1, 5].map((size) => {
    const parts = stream(cut(output, size), tools, { rescue })
    const isError = toOutcome(parts).error !== null
    const shown = parts.filter(({ type }) => type !== 'reasoning-delta')
    const text = shown.map((part) => ('delta' in part ? part.delta : JSON.stringify(part))).join('')
    return isError || text.includes(word) ? 'kept' : 'lost'
  })
}

describe('a call in a place where no further call is read', () => {
  const kept = ['kept', 'kept', 'kept']
  it.each(Object.entries(writers))('is not silently lost in a block: %s', (_, { write }) => {
    const [first, second] = [write([call('cats')]), write([call('dogs')])]
    const last = second.lastIndexOf('dogs')
    const tail = second.slice(
      Math.max(second.lastIndexOf('{', last), second.lastIndexOf('<', last)),
    )
    for (const rescue of [false, true])
      for (const next of [second, tail])
        for (const section of [`${first} and ${next}`, `${first}\nThen:\n${next}`]) {
          const output = `<ACTION>\n${section}\n</ACTION>`
          expect([output, keeps(output, 'dogs', rescue)]).toEqual([output, kept])
          expect([section, keeps(section, 'dogs', rescue)]).toEqual([section, kept])
        }
  })

  it.each(Object.entries(writers))(
    "is not silently lost on a fence's closing line or in the fence: %s",
    (_, { write }) => {
      const json = JSON.stringify({ name: 'search', arguments: { query: 'cats' } })
      const second = write([call('dogs')])
      for (const rescue of [false, true])
        for (const output of [
          `\`\`\`json\n${json}\n\`\`\`${second}`,
          `\`\`\`json\n${json}\n\`\`\` ${second}`,
          `\`\`\`\`json\n${json}\nand ${second}\n\`\`\`\``,
          `\`\`\`\`json\n${json}\nand ${second}`,
        ])
          expect([output, keeps(output, 'dogs', rescue)]).toEqual([output, kept])
    },
  )

  it('is returned as written, including marks in its tags', () => {
    const dsml = writers['dsml']?.write([call('cats')]) ?? ''
    const rest = ' and <｜DSML｜b>dogs'
    const parts = stream([`<ACTION>${dsml}${rest}</ACTION>\nBye.`], tools)
    expect(parts.at(-1)).toEqual({ type: 'raw', data: { ignored: `${rest}\nBye.` } })
  })
})

describe('a mark that some models write into tags', () => {
  const write = tool('write', { text: { type: 'string' } }, ['text'])
  const texts = ['<x:opensource>y', '<｜DSML｜a>b</｜DSML｜a>', '</b>', ']<]minimax[>[<a>b']
  it.each(texts)('is content in a value of another format: %s', (text) => {
    const output = `<tool_call>${JSON.stringify({ name: 'write', arguments: { text } })}</tool_call>`
    expect(toOutcome(stream([output], [write])).calls).toEqual([
      { toolName: 'write', input: { text } },
    ])
  })
})
