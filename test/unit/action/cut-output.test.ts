import { createActionScanner, parseAction } from '../../../src/action/index.ts'
import { dialects, tools as accountTools } from './dialects.ts'
import { canonical, stream, tool, toOutcome } from './harness.ts'
import { describe, expect, it } from 'vitest'
import { eachNth } from '../more.ts'

const tools = [
  ...accountTools,
  tool('list_notes', { limit: { type: 'integer' }, nonessential: { type: 'boolean' } }),
]
const search = { toolName: 'search', input: { query: 'cats' } }
const notes = { toolName: 'list_notes', input: {} }
const deletion = { toolName: 'delete_account', input: { id: 7 } }
/** Calls whose last value only the end of the output closes. */
const openEnded = [
  ['no ReAct input', 'Action: list_notes\nAction Input:', notes],
  ['a ReAct input of one word', 'Action: list_notes\nAction Input: none', notes],
  ['a ReAct input in a block', '<ACTION>\nAction: list_notes\nAction Input: ', notes],
  ['a ReAct input in a fence', '```\nAction: list_notes\nAction Input: ', notes],
  ...['<tool_call>', '<|tool_call_start|>', '[TOOL_CALLS]'].map(
    (opener) =>
      [
        `the elements after ${opener}`,
        `${opener}\n<name>delete_account</name>\n<id>7</id>\n`,
        deletion,
      ] as const,
  ),
] as const

describe('a value that only the end of the output closes (R6)', () => {
  it.each(openEnded)('is complete after a stop: %s', (_, output, call) => {
    expect(parseAction(output, tools)).toMatchObject({ calls: [call] })
    expect(parseAction(output, tools, { finishReason: 'stop' })).toMatchObject({ calls: [call] })
  })

  it.each(openEnded)('is malformed after a length limit or a filter: %s', (_, output) => {
    for (const finishReason of ['length', 'content-filter']) {
      const { calls, error } = parseAction(output, tools, { finishReason })
      expect([calls, error?.code]).toEqual([[], 'malformed'])
    }
  })

  it('is complete after a limit when something else closes it', () => {
    for (const [output, call] of [
      ['Action: list_notes\nAction Input: none\n', notes],
      ['Action: search\nAction Input: {"query": "cats"}', search],
      ['<ACTION>\nAction: list_notes\nAction Input: none</ACTION>', notes],
      ['```\nAction: list_notes\nAction Input: none\n```', notes],
      ['<tool_call><name>search</name><arguments><query>cats</query></arguments>', search],
      ['<tool_call><name>search</name><query>cats</query></tool_call>', search],
      ['<|tool_call_start|><name>search</name><query>cats</query><|tool_call_end|>', search],
    ] as const) {
      const { calls, error } = parseAction(output, tools, { finishReason: 'length' })
      expect([output, calls, error]).toEqual([output, [call], undefined])
    }
  })

  it('is also read in native mode', () => {
    const rescue = (finishReason: string): unknown => {
      const scanner = createActionScanner(tools, { rescue: true })
      scanner.push('Action: list_notes\nAction Input:')
      return toOutcome(scanner.end({ finishReason }))
    }
    expect(rescue('stop')).toMatchObject({ calls: [notes], error: null })
    expect(rescue('length')).toMatchObject({ calls: [], error: 'malformed' })
  })
})

describe('an output cut by a limit at any point', () => {
  const outputs = Object.entries({
    ...dialects,
    'react without input': 'Action: list_notes\nAction Input: none\n',
    'a wrapper with elements':
      '<tool_call>\n<name>delete_account</name>\n<id>71</id>\n<why>old</why>\n</tool_call>',
  })
  it.each(outputs)('gives the whole call or none: %s', (_, output) => {
    for (const rescue of [false, true]) {
      const read = (text: string): string[] =>
        toOutcome(stream([text], tools, { rescue, finishReason: 'length' })).calls.map(canonical)
      const whole = read(output)
      expect(whole).toHaveLength(1)
      for (const at of eachNth(
        3,
        Array.from({ length: output.length - 1 }, (_, n) => n + 1),
      ))
        expect([[], whole]).toContainEqual(read(output.slice(0, at)))
    }
  })
})

describe("a section cut in its end token or in its second call's name (R6)", () => {
  const lines = 'list_notes(limit=5)\nsearch(query="cats")'
  it.each([
    '<|message_model|>list_notes<|content_invoke_tool_json|>{"name":"list_notes","args":{}}<|end_message|>',
    `<function_calls>\n${lines}\n</function_calls>`,
    `<|tool_call_start|>\n\`\`\`python\n${lines}\n\`\`\`\n<|tool_call_end|>`,
  ])('is never shown: %s', (section) => {
    const before = 'Look:\n'
    for (const rescue of [false, true])
      // Less than four characters of a marker are text.
      for (let at = 4; at <= section.length; at++) {
        const { text } = toOutcome(stream([before + section.slice(0, at)], tools, { rescue }))
        expect([at, text]).toEqual([at, before.trim()])
      }
  })
})
