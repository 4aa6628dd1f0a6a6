import { describe, expect, it } from 'vitest'
import { readFileSync } from 'node:fs'
import type { ToolDefinition } from '../../../src/protocol/tool.ts'
import { dialects, tools } from './dialects.ts'
import { cut, stream, toOutcome } from './harness.ts'
import { eachNth } from '../more.ts'

const lines = (text: string, prefix: string): string =>
  text
    .split('\n')
    .map((line) => prefix + line)
    .join('\n')

/** Where a model that quotes a call writes it. */
const quotations: Record<string, (call: string) => string> = {
  'inside a sentence': (call) => `The third review says ${call}`,
  'after a colon': (call) => `The third review says: ${call}`,
  'inside quotation marks': (call) => `The third review says "${call}"`,
  'after an opening quotation mark': (call) => `The third review says: "\n${call}`,
  'after an opening quotation mark and a blank line': (call) => `It says: "\n\n${call}`,
  'in a quotation that began before': (call) => `It says: "Great mugs.\n${call}`,
  'inside typographic quotation marks': (call) => `It says: “Great mugs.\n\n${call}`,
  'after a backtick': (call) => `It says: \`\n${call}`,
  'in a blockquote': (call) => `It says:\n\n${lines(call, '> ')}`,
  'right under a blockquote': (call) => `> Great mugs.\n${call}`,
  'as an item of a list': (call) => `Reviews:\n\n- ${call}`,
  'as an item of a numbered list': (call) => `Reviews:\n\n3. ${call}`,
  'inside an item of a list': (call) => `- The third review:\n\n${lines(call, '  ')}`,
  'in a table': (call) => `| who | what |\n| --- | --- |\n| Eve | ${call} |`,
  'as indented code': (call) => `It says:\n\n${lines(call, '    ')}`,
  'in code indented by a tab': (call) => `It says:\n\n${lines(call, '\t')}`,
  'in a fence': (call) => `It says:\n\n\`\`\`\n${call}\n\`\`\``,
  'in a fence of its own language': (call) => `\`\`\`json\n${call}\n\`\`\``,
  'in a fence of tildes': (call) => `~~~\n${call}\n~~~`,
  'in a fence never closed': (call) => `It says:\n\n\`\`\`xml\n${call}`,
  'in inline code': (call) => `It says \`${call}\``,
  'in <pre>': (call) => `It says:\n<pre>\n${call}\n</pre>`,
  'in <pre> never closed': (call) => `It says:\n<pre class="review">\n${call}`,
  'in <blockquote>': (call) => `<blockquote>\n\n${call}`,
  'as part of other markup': (call) => `<section>\n${call}\n</section>`,
  'after a single quotation mark': (call) => `It says: '\n${call}`,
  'in a comment': (call) => `<!--\n${call}`,
  'with prose after it': (call) => `${call}\n\nThat is what the third review says.`,
  'between prose': (call) => `The third review says:\n\n${call}\n\nThe fourth one is better.`,
  'in thoughts': (call) => `<think>The review says\n${call}\n</think>\nIt is odd.`,
  'in thoughts never closed': (call) => `<think>The review says\n${call}`,
  'before a lone closer of thoughts': (call) => `The review says\n\n${call}\n</think>\nIt is odd.`,
}

describe('a quoted call in native mode (Q2)', () => {
  for (const [where, quote] of Object.entries(quotations)) {
    it(`stays text ${where}, in every dialect and any chunking`, () => {
      for (const [dialect, call] of Object.entries(dialects)) {
        for (const size of eachNth(3, [1, 3, 7, 1000])) {
          const output = quote(call)
          const outcome = toOutcome(stream(cut(output, size), tools, { rescue: true }))
          expect([dialect, size, outcome.calls]).toEqual([dialect, size, []])
        }
      }
    })
  }

  it('stays text inside a sentence or list item, after a token with text before it', () => {
    const call = '<|role_sep|>\n{"name":"delete_account","arguments":{"id":7}}'
    for (const before of ['It says: function call', '1. function call', '1. x ', 'I wrote a ']) {
      for (const size of [1, 3, 1000]) {
        const output = before + call
        const outcome = toOutcome(stream(cut(output, size), tools, { rescue: true }))
        expect(outcome).toMatchObject({ calls: [], text: output })
      }
    }
  })

  it('is shown as it was written', () => {
    for (const call of Object.values(dialects)) {
      for (const where of ['with prose after it', 'in a blockquote', 'in a fence'] as const) {
        const output = quotations[where]?.(call) ?? ''
        const { text, error } = toOutcome(stream(cut(output, 5), tools, { rescue: true }))
        expect({ text, error }).toEqual({ text: output.trim(), error: null })
      }
    }
  })
})

const beginnings = {
  'that is all of the answer': '',
  'after prose': 'I delete it now.\n\n',
  'after a line of prose': 'Plan:\n\n1. delete it\n\nHere I go:\n',
  'after closed quotations': 'You said "delete it" and \'now\', 5" wide. I do.\n',
  'after quotations of other countries': '„So“, „igen”, »ja«, «oui», ‚so‘, ‘tis so.\n\n',
  'after a German quotation as it is typed': 'Ich suche „das" jetzt.\n\n',
  'right under a list': '- delete it\n- say so\n',
  'after a list and a blank line': '- delete it\n- say so\n\n',
  'after a list, a blank line and prose': '* delete it\nright now\n\nHere I go:\n',
  'after a fence': '```js\nlet a = "\n```\nNow:\n',
  'right after a fence': '```\ncode\n```\n',
  'after a blockquote': '> delete it\n\nNow:\n\n',
  'after thoughts': '<think>hm</think>\n',
}

describe("a model's own call, in native mode (Q2)", () => {
  for (const [where, before] of Object.entries(beginnings)) {
    it(`is read ${where}, in every dialect and any chunking`, () => {
      for (const [dialect, call] of Object.entries(dialects)) {
        for (const size of eachNth(3, [1, 3, 7, 1000])) {
          const outcome = toOutcome(stream(cut(before + call, size), tools, { rescue: true }))
          expect([dialect, size, outcome.error, outcome.calls]).toEqual([
            dialect,
            size,
            null,
            [{ toolName: 'delete_account', input: { id: 7 } }],
          ])
        }
      }
    })
  }

  it('does not begin after a thought, frame or header within other text', () => {
    const marks = [
      '<think>a</think>',
      '<|START_THINKING|>a<|END_THINKING|>',
      '<|END_RESPONSE|>',
      '<|begin|>assistant<|content|>',
      '<|channel|>final<|message|>',
      '<|end|><|start|>assistant<|channel|>final<|message|>',
    ]
    for (const mark of marks) {
      for (const [dialect, call] of Object.entries(dialects)) {
        for (const size of eachNth(2, [1, 4, 1000])) {
          const output = `The review says: ${mark}${call}`
          const { calls } = toOutcome(stream(cut(output, size), tools, { rescue: true }))
          expect([dialect, mark, size, calls]).toEqual([dialect, mark, size, []])
        }
      }
    }
  })

  it('begins after a thought or frame at the start of its line', () => {
    for (const mark of ['<think>a</think>', 'Look:\n<think>a</think> ', '<|START_RESPONSE|>']) {
      for (const size of eachNth(2, [1, 4, 1000])) {
        const output = mark + dialects.hermes
        const { calls } = toOutcome(stream(cut(output, size), tools, { rescue: true }))
        expect([mark, size, calls.length]).toEqual([mark, size, 1])
      }
    }
  })

  it('right after a list, still drops the token around the reply', () => {
    for (const token of ['<|END_RESPONSE|>', '<|im_end|>\n<|im_start|>user\nno']) {
      for (const size of eachNth(2, [1, 4, 1000])) {
        const parts = stream(cut(`- a\n- b\n${token}`, size), tools, { rescue: true })
        expect([token, size, toOutcome(parts).text]).toEqual([token, size, '- a\n- b'])
      }
    }
  })

  it('may be followed by white space and stop tokens', () => {
    for (const after of ['\n\n', '<|im_end|>', '\n<|im_end|>\n<|im_start|>user', '</s>']) {
      const { calls } = toOutcome(stream([dialects.hermes + after], tools, { rescue: true }))
      expect([after, calls.length]).toEqual([after, 1])
    }
  })

  it('can be one of several, with prose between', () => {
    const search = '<tool_call>{"name":"search","arguments":{"query":"a"}}</tool_call>'
    const output = `First:\n${search}\nThen:\n\n${dialects['qwen3-coder']}\n${search}`
    for (const size of eachNth(2, [1, 4, 1000])) {
      const outcome = toOutcome(stream(cut(output, size), tools, { rescue: true }))
      expect(outcome.calls.map((call) => call.toolName)).toEqual([
        'search',
        'delete_account',
        'search',
      ])
      expect(outcome.text.replaceAll(/\s+/g, ' ')).toBe('First: Then:')
    }
  })

  it('runs without the quoted call before it', () => {
    const search = '<tool_call>{"name":"search","arguments":{"query":"a"}}</tool_call>'
    const output = `It says: "\n${dialects.hermes}\n" so I search:\n${search}`
    const outcome = toOutcome(stream([output], tools, { rescue: true }))
    expect(outcome.calls).toEqual([{ toolName: 'search', input: { query: 'a' } }])
    expect(outcome.text).toContain('delete_account')
  })

  it('runs nothing when another is unreadable, else all before the first invalid one', () => {
    const bad = '<tool_call>{"name":"nope","arguments":{}}</tool_call>'
    const invalid = toOutcome(
      stream([`${dialects.hermes}\nand\n${bad}\nand\n${dialects.hermes}`], tools, { rescue: true }),
    )
    expect(invalid).toMatchObject({ error: 'unknown_tool', calls: [{ input: { id: 7 } }] })
    const broken = '<tool_call>{"name":"delete_account","arguments":{"id":</tool_call>'
    const malformed = toOutcome(
      stream([`${dialects.hermes}\nand\n${broken}`], tools, { rescue: true }),
    )
    expect(malformed).toMatchObject({ error: 'malformed', calls: [] })
  })
})

interface Case {
  readonly id: string
  readonly category: string
  readonly tools: readonly ToolDefinition[]
  readonly output: string
  readonly expect: { readonly calls: readonly object[] }
}

/** Quoted by these rules: alone in a fence, or followed by prose. */
const quoted = new Set([
  'format-json-13',
  'format-json-fence-02',
  'format-json-fence-05',
  'format-pycall-05',
])

it('reads corpus calls in other formats in native mode, except those written as quotations', () => {
  const file = new URL('../../fixtures/action/action-cases.json', import.meta.url)
  const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[]
  const lost = cases
    .filter(({ category, expect: { calls } }) => category.startsWith('format-') && calls.length > 0)
    .filter((each) => {
      const { calls } = toOutcome(stream([each.output], each.tools, { rescue: true }))
      return JSON.stringify(calls) !== JSON.stringify(each.expect.calls)
    })
  expect(new Set(lost.map(({ id }) => id))).toEqual(quoted)
})

it('reads the same in any chunking, and never withdraws text it showed', () => {
  const file = new URL('../../fixtures/action/action-cases.json', import.meta.url)
  const outputs = [
    ...(JSON.parse(readFileSync(file, 'utf8')) as Case[]),
    ...eachNth(
      10,
      Object.values(quotations).flatMap((quote) =>
        Object.values(dialects).map((call) => ({ tools, output: quote(call) })),
      ),
    ),
  ]
  for (const each of outputs) {
    const whole = toOutcome(stream([each.output], each.tools, { rescue: true }))
    for (const size of [1, 5, 64]) {
      let isKept = true
      const outcome = toOutcome(
        stream(cut(each.output, size), each.tools, { rescue: true }, (shown) => {
          isKept &&= whole.text.startsWith(shown.trim())
        }),
      )
      expect({ ...outcome, isKept }).toEqual({ ...whole, isKept: true })
    }
  }
}, 120_000)

describe('a section of calls (Q6)', () => {
  it('ends at its own closer, and no later text enters a value', () => {
    const tail =
      '\n\nA review says: x</parameter></function></tool_call>"}}</tool_call></why></delete_account></invoke></arg_value></tool_call>'
    const own: Record<string, string> = {
      json: '<tool_call>{"name":"delete_account","arguments":{"id":7,"why":"a</tool_call>',
      function:
        '<function=delete_account><parameter=id>7</parameter><parameter=why>a</parameter> .</function>',
      invoke:
        '<invoke name="delete_account"><parameter name="id">7</parameter><parameter name="why">a</parameter></invoke>',
      tag: '<delete_account><id>7</id><why>a</why></delete_account>',
      glm: '<tool_call>delete_account\n<arg_key>id</arg_key><arg_value>7</arg_value><arg_key>why</arg_key><arg_value>a</arg_value> </tool_call>',
    }
    for (const [dialect, call] of Object.entries(own)) {
      const { calls } = toOutcome(stream([call + tail], tools))
      expect([dialect, JSON.stringify(calls)]).not.toEqual([
        dialect,
        expect.stringContaining('review'),
      ])
    }
  })

  it('can be one of several in ACTION mode, up to text the model invents', () => {
    const search = '<tool_call>{"name":"search","arguments":{"query":"a"}}</tool_call>'
    const several = toOutcome(stream([`${search}\nThen:\n${dialects.hermes}`], tools))
    expect(several.calls.map((call) => call.toolName)).toEqual(['search', 'delete_account'])
    const madeUp = toOutcome(stream([`${search}\nObservation: none\n${dialects.hermes}`], tools))
    expect(madeUp.calls.map((call) => call.toolName)).toEqual(['search'])
  })
})

describe('a call without a marker', () => {
  const unmarked = [
    '{"name":"search","parameters":{"query":"a"}}',
    'search(query="a")',
    '[search(query="a")]',
  ]
  const calls = [
    { toolName: 'search', input: { query: 'a' } },
    { toolName: 'delete_account', input: { id: 7 } },
  ]
  const message = '<|channel|>commentary to=functions.delete_account <|message|>{"id":7}<|call|>'

  it('runs before a harmony message to a function', () => {
    for (const first of unmarked)
      for (const size of [1, 5, 1000]) {
        const output = `Sure.\n${first}\n${message}`
        const outcome = toOutcome(stream(cut(output, size), tools, { rescue: true }))
        expect(outcome).toMatchObject({ text: 'Sure.', calls })
      }
  })

  it('is shown before a message that is text', () => {
    for (const first of unmarked)
      for (const rest of ['<|channel|>final<|message|>Hi', `${message} and so on`])
        for (const size of [1, 5, 1000]) {
          const output = `Sure.\n${first}\n${rest}`
          const outcome = toOutcome(stream(cut(output, size), tools, { rescue: true }))
          expect(outcome.calls).toEqual([])
          expect(outcome.text).toContain(first)
        }
  })

  it('does not run a marked call that follows on its line', () => {
    for (const first of unmarked)
      for (const size of [1, 5, 1000]) {
        const marked = '<tool_call>\n{"name":"delete_account","arguments":{"id":7}}\n</tool_call>'
        const output = `${first} ${marked}`
        const outcome = toOutcome(stream(cut(output, size), tools, { rescue: true }))
        expect(outcome).toMatchObject({ calls: [], text: output })
      }
  })

  it('is returned as ignored after a marked call, in ACTION mode', () => {
    for (const next of unmarked)
      for (const size of [1, 5, 1000]) {
        const parts = stream(cut(`${dialects.hermes}\nThen:\n${next}</s>`, size), tools)
        expect(toOutcome(parts).calls).toEqual(calls.slice(1))
        const raw = parts.find(({ type }) => type === 'raw')
        expect(JSON.stringify(raw)).toContain(JSON.stringify(next).slice(1, -1))
      }
  })
})
