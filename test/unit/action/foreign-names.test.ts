import { describe, expect, it } from 'vitest'
import { parseAction } from '../../../src/action/index.ts'
import { cut, stream, tool, toOutcome } from './harness.ts'

const tools = [
  tool('获取天气', { 城市: { type: 'string' } }, ['城市']),
  tool('погода', { город: { type: 'string' } }, ['город']),
  tool('मौसम', { शहर: { type: 'string' } }, ['शहर']),
]

function forms(name: string, key: string): Record<string, string> {
  const json = `{"${key}":"北京"}`
  return {
    hermes: `<tool_call>{"name":"${name}","arguments":${json}}</tool_call>`,
    qwen: `<tool_call>\n<function=${name}>\n<parameter=${key}>北京</parameter>\n</function>\n</tool_call>`,
    'function tag': `<function=${name}><parameter=${key}>北京</parameter></function>`,
    python: `${name}(${key}="北京")`,
    'python list': `[${name}(${key}="北京")]`,
    'llama 4': `<|python_start|>[${name}(${key}="北京")]<|python_end|>`,
    react: `Action: ${name}\nAction Input: ${json}`,
    invoke: `<invoke name="${name}"><parameter name="${key}">北京</parameter></invoke>`,
    mistral: `[TOOL_CALLS]${name}[ARGS]${json}`,
    gemma: `<|tool_call>call:${name}{${key}:<|"|>北京<|"|>}<tool_call|>`,
    glm: `<tool_call>${name}\n<arg_key>${key}</arg_key>\n<arg_value>北京</arg_value>\n</tool_call>`,
    harmony: `<|channel|>commentary to=functions.${name} json<|message|>${json}`,
    functionary: `>>>${name}\n${json}`,
    'python in a block': `<ACTION>${name}(${key}="北京")</ACTION>`,
  }
}

describe('names in any script (R18)', () => {
  for (const definition of tools) {
    const { name } = definition
    const [key = ''] = Object.keys(definition.inputSchema['properties'] ?? {})
    it.each(Object.entries(forms(name, key)))(`are read: ${name} in %s`, (_, output) => {
      for (const size of [1, 3, 1000]) {
        const outcome = toOutcome(stream(cut(output, size), tools))
        expect(outcome).toMatchObject({
          text: '',
          calls: [{ toolName: name, input: { [key]: '北京' } }],
        })
      }
    })
  }
})

describe('a tool named like a wrapper (R9)', () => {
  const named = [
    tool('search', { query: { type: 'string' } }, ['query']),
    tool('tool_call', { q: { type: 'string' } }, ['q']),
    tool('function', { code: { type: 'string' } }),
    tool('invoke', { what: { type: 'string' } }),
    tool('tool', { name: { type: 'string' } }),
  ]
  const search = { toolName: 'search', input: { query: 'x' } }
  const json = '{"name":"search","arguments":{"query":"x"}}'
  it.each([
    ['<ACTION><tool_call><q>x</q></tool_call></ACTION>', 'tool_call', { q: 'x' }],
    ['<ACTION><tool_call>{"q":"x"}</tool_call></ACTION>', 'tool_call', { q: 'x' }],
    ['<tool_call><q>x</q></tool_call>', 'tool_call', { q: 'x' }],
    ['<tool_call>{"name":"tool_call","arguments":{"q":"x"}}</tool_call>', 'tool_call', { q: 'x' }],
    ['tool_call(q="x")', 'tool_call', { q: 'x' }],
    ['<ACTION><function><code>a</code></function></ACTION>', 'function', { code: 'a' }],
    ['<function><code>a</code></function>', 'function', { code: 'a' }],
    ['<ACTION><invoke><what>a</what></invoke></ACTION>', 'invoke', { what: 'a' }],
    ['<ACTION><tool name="search"/></ACTION>', 'tool', { name: 'search' }],
    ['<ACTION><tool><name>search</name></tool></ACTION>', 'tool', { name: 'search' }],
    [`<tool_call>${json}</tool_call>`, 'search', { query: 'x' }],
    [`<ACTION><tool_call>${json}</tool_call></ACTION>`, 'search', { query: 'x' }],
    [
      '<ACTION><function name="search"><query>x</query></function></ACTION>',
      'search',
      { query: 'x' },
    ],
    [
      '<invoke name="search"><parameter name="query">x</parameter></invoke>',
      'search',
      { query: 'x' },
    ],
  ])('%s is a call of %s', (output, toolName, input) => {
    for (const size of [1, 1000]) {
      const { calls } = toOutcome(stream(cut(output, size), named))
      expect(calls).toEqual([{ toolName, input }])
    }
  })

  it('does not capture calls of other tools', () => {
    expect(parseAction(`<tool_call>${json}</tool_call>`, named).calls).toEqual([search])
  })
})

describe('CDATA beside text (R10, R11)', () => {
  const write = [tool('run_js', { code: { type: 'string' } }, ['code'])]
  it.each([
    ['a &amp; b <![CDATA[<x> &amp;]]> c', 'a & b <x> &amp; c'],
    ['<![CDATA[<x>]]> &lt;y&gt;', '<x> <y>'],
    ['a <b> &amp; <![CDATA[x]]>', 'a <b> &amp; <![CDATA[x]]>'],
    ['a <![CDATA[x]]> b', 'a <![CDATA[x]]> b'],
  ])('%s stands for %s', (raw, code) => {
    const output = `<ACTION><run_js><code>${raw}</code></run_js></ACTION>`
    expect(parseAction(output, write).calls).toEqual([{ toolName: 'run_js', input: { code } }])
  })
})

describe('a stop token right after a call without a marker (R18)', () => {
  it.each(['<|eom_id|>', '<|eot_id|>', '<|im_end|>', '<|end|>', '</s>', '<｜end▁of▁sentence｜>'])(
    'ends the call: %s',
    (token) => {
      const definition = tool('search', { query: { type: 'string' } }, ['query'])
      for (const body of ['{"name":"search","arguments":{"query":"x"}}', 'search(query="x")']) {
        for (const size of [1, 1000]) {
          for (const rescue of [false, true]) {
            const outcome = toOutcome(stream(cut(body + token, size), [definition], { rescue }))
            expect(outcome).toMatchObject({ text: '', calls: [{ input: { query: 'x' } }] })
          }
        }
      }
    },
  )
})
