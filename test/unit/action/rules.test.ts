import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseAction } from '../../../src/action/index.ts'
import { canonical, cut, stream, tool, toOutcome, tools } from './harness.ts'
import { dialects, tools as dialectTools } from './dialects.ts'

interface Case {
  /** The rule of docs/action-spec.md that decides it. */
  readonly rule: string
  readonly output: string
  readonly expect: { text: string; calls: unknown[]; error: string | null; suggest?: string }
}

const file = new URL('../../fixtures/action/rule-cases.json', import.meta.url)
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[]

describe('rules and dialects beyond the corpus', () => {
  const named = cases.map((one) => [one.rule, one.output, one] as const)
  it.each(named)('%s: %j', (_, output, { expect: wanted }) => {
    const whole = parseAction(output, tools)
    expect(whole.text).toBe(wanted.text)
    expect(canonical(whole.calls)).toBe(canonical(wanted.calls))
    expect(whole.error?.code ?? null).toBe(wanted.error)
    if (wanted.suggest !== undefined) expect(whole.error?.suggestion).toBe(wanted.suggest)
    for (const size of [1, 2, 3, 4, 7, 64]) {
      const outcome = toOutcome(stream(cut(output, size), tools))
      expect(outcome.text).toBe(wanted.text)
      expect(canonical(outcome.calls)).toBe(canonical(wanted.calls))
      expect(outcome.error).toBe(wanted.error)
    }
  })
})

describe('a whole number beyond 2^53', () => {
  const BIG = '9007199254740993'
  const order = tool('order', {
    id: { type: 'string' },
    count: { type: 'number' },
    any: {},
    list: { type: 'array', items: { type: 'string' } },
  })
  const input = (output: string): unknown => parseAction(output, [order]).calls[0]?.input

  it.each([
    ['an element', '<ACTION><order><id>@</id></order></ACTION>', { id: BIG }],
    ['JSON', '<tool_call>{"name":"order","arguments":{"id":@}}</tool_call>', { id: BIG }],
    ['JSON in an element', '<ACTION><order>{"id":@}</order></ACTION>', { id: BIG }],
    ['a list', '<ACTION><order><list>[@]</list></order></ACTION>', { list: [BIG] }],
    ['Python', 'order(id=@)', { id: BIG }],
    [
      'no schema',
      '<tool_call>{"name":"order","arguments":{"any":[@]}}</tool_call>',
      { any: [BIG] },
    ],
  ])('keeps its digits as text: in %s', (_, output, wanted) => {
    expect(input(output.replace('@', BIG))).toEqual(wanted)
  })

  it.each([
    ['an element', '<ACTION><order><count>@</count></order></ACTION>'],
    ['JSON', '<tool_call>{"name":"order","arguments":{"count":@}}</tool_call>'],
    ['Python', 'order(count=@)'],
  ])('is rejected where a number is required: in %s', (_, output) => {
    const { calls, error } = parseAction(output.replace('@', BIG), [order])
    expect(calls).toEqual([])
    expect(error?.message).toContain(BIG)
    expect(input(output.replace('@', '9007199254740991'))).toEqual({ count: 9007199254740991 })
  })
})

it('with delimitedOnly, calls without a marker or a tag of their own are text (R18)', () => {
  const isCall = (output: string): boolean =>
    toOutcome(stream([output], dialectTools, { delimitedOnly: true })).calls.length > 0
  const text = Object.entries(dialects).filter(([, output]) => !isCall(output))
  expect(text.map(([name]) => name).toSorted()).toEqual([
    'command r',
    'functionary 3.2, first',
    'json',
    'json and a stop token',
    'keyed json',
    'python',
    'python list',
    'react',
  ])
})
