import { describe, expect, it } from 'vitest'
import { createActionScanner } from '../../../src/action/index.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { click, search } from './dialect-situations.ts'
import { dialectTable } from './dialect-table.ts'
import { canonical, cut, stream, toOutcome, tools } from './harness.ts'

/** How models mark their reasoning. */
const marks: Record<string, readonly [string, string]> = {
  Qwen: ['<think>\n', '\n</think>\n\n'],
  thinking: ['<thinking>', '</thinking>\n'],
  EXAONE: ['<thought>\n', '\n</thought>\n'],
  Magistral: ['[THINK]', '[/THINK]'],
  Cohere: ['<|START_THINKING|>', '<|END_THINKING|>'],
  Seed: ['<seed:think>', '</seed:think>'],
  LongCat: ['<longcat_think>', '</longcat_think>'],
  MiniMax: ['<mm:think>', '</mm:think>'],
  'K2 Horizon': ['<ifm|think>', '</ifm|think>'],
  'Kimi-VL': ['◁think▷', '◁/think▷'],
  PanGu: ['[unused16]', '[unused17]'],
  Solar: ['<|think:start|>', '<|think:end|>'],
  'Gemma 4': ['<|channel>thought\n', '<channel|>'],
  MiniCPM: ['<|thought_start|>\n', '\n<|thought_end|>\n'],
  harmony: ['<|channel|>analysis<|message|>', '<|end|>'],
}
const samples = ['hermes', 'json', 'react', 'mistral', 'function calls', 'tool tag', 'lfm2']
const dialects = dialectTable.filter(({ name }) => samples.includes(name))

const reasoning = (parts: readonly StreamPart[]): string =>
  parts.map((part) => (part.type === 'reasoning-delta' ? part.delta : '')).join('')

function read(output: string, size: number, rescue: boolean): object {
  const parts = stream(cut(output, size), tools, { rescue })
  const { text, calls, error } = toOutcome(parts)
  return { text, calls: calls.map(canonical), error, reasoning: reasoning(parts).trim() }
}

describe('reasoning in the text (R5)', () => {
  for (const [whose, [open, close]] of Object.entries(marks)) {
    it(`between the marks of ${whose} runs no call, and the call after it runs`, () => {
      for (const { name, write } of dialects) {
        const thought = `Maybe\n${write([click])}\nNo.`
        for (const reply of ['', 'I look it up.\n']) {
          const output = open + thought + close + reply + write([search])
          for (const rescue of [false, true]) {
            for (const size of [Infinity, 1, 5]) {
              const message = `${name}, rescue ${rescue}, pieces of ${size}: ${JSON.stringify(output)}`
              expect(read(output, size, rescue), message).toEqual({
                text: reply.trim(),
                calls: [canonical(search)],
                error: null,
                reasoning: thought,
              })
            }
          }
        }
      }
    })

    it(`between the marks of ${whose} ends at its closer though it mentions a block`, () => {
      const block = '<ACTION><search><query>cats</query></search>'
      const mentions = [block, `${block}</ACTION>`, '<ACTION><!-- so', '<ACTION><a><![CDATA[ so']
      for (const mention of mentions) {
        for (const size of [Infinity, 1, 5]) {
          const thought = `I would write ${mention}`
          const reply = 'Done. I closed it with </ACTION>'
          expect(read(open + thought + close + reply, size, false), thought).toEqual({
            text: reply,
            calls: [],
            error: null,
            reasoning: thought,
          })
        }
        const beginning = cut(`${open}I would write ${mention}${close}Done`, 1)
        const scanner = createActionScanner(tools)
        const parts = beginning.flatMap((piece) => scanner.push(piece))
        expect(toOutcome(parts).text, `${mention}, streamed`).toBe('Done')
      }
    })

    it(`between the marks of ${whose} leaves the reply unchanged when no call follows`, () => {
      for (const rescue of [false, true]) {
        for (const size of [Infinity, 1, 5]) {
          const output = `${open}Maybe not.${close}It is four.`
          expect(read(output, size, rescue)).toEqual({
            text: 'It is four.',
            calls: [],
            error: null,
            reasoning: 'Maybe not.',
          })
        }
      }
    })
  }
})

describe('marks around the reply', () => {
  const replies: readonly (readonly [string, string, string])[] = [
    ['harmony', '<|channel|>final<|message|>It is four.<|return|>', 'It is four.'],
    [
      'harmony with thoughts',
      '<|channel|>analysis<|message|>2 + 2<|end|><|start|>assistant<|channel|>final<|message|>It is four.<|return|>',
      'It is four.',
    ],
    [
      'Cohere',
      '<|START_THINKING|>2 + 2<|END_THINKING|><|START_RESPONSE|>It is four.<|END_RESPONSE|>',
      'It is four.',
    ],
  ]
  it.each(replies)('are never shown: %s', (_, output, wanted) => {
    for (const rescue of [false, true])
      for (const size of [Infinity, 1, 5])
        expect(read(output, size, rescue)).toMatchObject({ text: wanted, calls: [], error: null })
  })

  it('are never shown around a preamble before a call', () => {
    const output =
      '<|channel|>commentary<|message|>I look it up.<|end|><|start|>assistant<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query":"cats"}<|call|>'
    for (const rescue of [false, true])
      for (const size of [Infinity, 1, 5])
        expect(read(output, size, rescue)).toMatchObject({
          text: 'I look it up.',
          calls: [canonical(search)],
          error: null,
        })
  })
})
