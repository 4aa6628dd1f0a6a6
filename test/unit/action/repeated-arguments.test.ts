import { describe, expect, it } from 'vitest'
import { parseAction } from '../../../src/action/index.ts'
import { parseBoundedJson } from '../../../src/action/call-arguments.ts'
import { stream, tool, toOutcome } from './harness.ts'

const tools = [
  tool('pay', { to: { type: 'string' }, amount: { type: 'number' } }, ['to', 'amount']),
  tool('search', { query: { type: 'string' }, limit: { type: 'integer' } }, ['query']),
  tool('save', { meta: { type: 'object', additionalProperties: true } }, ['meta']),
]
const twice = '{"to":"bob","to":"eve","amount":5}'

describe('colliding arguments', () => {
  for (const output of [
    'pay(to="bob", amount=1,000)',
    '[pay(to="bob", amount=1,500.00)]',
    '<|python_start|>[pay(to="bob", amount=1,000)]<|python_end|>',
    'search(limit=1,000)',
    'pay("eve", to="bob", amount=5)',
    'pay(to="bob", amount=5, to="eve")',
    'pay(to="bob", amount=5, "x", 7, 8)',
    'pay("bob", 5, 6)',
    '{"name":"pay","arguments":{"to":"bob","amount":5},"parameters":{"to":"eve","amount":9}}',
    '<tool_call>{"name":"pay","arguments":{"to":"bob","amount":5},"input":{"to":"eve"}}</tool_call>',
  ])
    it(`are an error, not a choice: ${output}`, () => {
      for (const rescue of [false, true])
        expect(toOutcome(stream([output], tools, { rescue }))).toMatchObject({
          calls: [],
          error: 'invalid_params',
        })
    })

  for (const output of [
    `{"name":"pay","arguments":${twice}}`,
    `{"name":"pay","arguments":${JSON.stringify(twice)}}`,
    `<tool_call>{"name":"pay","arguments":${twice}}</tool_call>`,
    '<tool_call>{"name":"pay","name":"save","arguments":{"to":"bob","amount":5}}</tool_call>',
    '<tool_call>{"name":"save","arguments":{"meta":{"a":1,"\\u0061":2}}}</tool_call>',
    '<|tool_call>call:pay{to:<|"|>bob<|"|>,to:<|"|>eve<|"|>,amount:5}<tool_call|>',
    `<function=pay>${twice}</function>`,
    `<tool_call><name>pay</name><arguments>${twice}</arguments></tool_call>`,
    `<ACTION><pay>${twice}</pay></ACTION>`,
    '<ACTION><save><meta>{"a":1,"a":2}</meta></save></ACTION>',
    `<ACTION>{"name":"pay","arguments":${twice}}</ACTION>`,
  ])
    it(`run nothing when JSON repeats a key: ${output}`, () => {
      for (const rescue of [false, true])
        expect(toOutcome(stream([output], tools, { rescue })).calls).toEqual([])
    })

  it('do not collide in other objects, in values or in unambiguous orders', () => {
    const input = (output: string): unknown => parseAction(output, tools).calls[0]?.input
    expect(input('pay("bob", amount=5)')).toEqual({ to: 'bob', amount: 5 })
    expect(input('pay(amount=5, to="bob")')).toEqual({ to: 'bob', amount: 5 })
    expect(input('pay({"to": "bob", "amount": 5})')).toEqual({ to: 'bob', amount: 5 })
    expect(parseBoundedJson('{"a":[{"a":"\\"a\\":1"},{"a":2}],"b":{"a":"a"}}')).toEqual({
      a: [{ a: '"a":1' }, { a: 2 }],
      b: { a: 'a' },
    })
    expect(parseBoundedJson('{"a":1,"b":{"c":1,"\\u0063":2}}')).toBeUndefined()
  })
})
