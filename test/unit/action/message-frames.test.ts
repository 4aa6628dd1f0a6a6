import { describe, expect, it } from 'vitest'
import type { ActionScannerOptions } from '../../../src/action/index.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { tools } from './dialects.ts'
import { cut, stream, toOutcome } from './harness.ts'
import { eachNth } from '../more.ts'

interface Read {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly string[]
  readonly error: string | null
}

function toRead(parts: readonly StreamPart[]): Read {
  const { text, calls, error } = toOutcome(parts)
  return {
    text,
    reasoning: parts.map((part) => (part.type === 'reasoning-delta' ? part.delta : '')).join(''),
    calls: calls.map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`),
    error,
  }
}

function read(output: string, options: ActionScannerOptions = {}): Read {
  const whole = toRead(stream([output], tools, options))
  for (const size of eachNth(6, [1, 2, 3, 5, 8, 13]))
    expect([size, toRead(stream(cut(output, size), tools, options))]).toEqual([size, whole])
  return whole
}

const modes = [['ACTION mode', {}] as const, ['native mode', { rescue: true }] as const]
const deletion = 'delete_account {"id":7}'
const search = 'search {"query":"a } b"}'
const toDelete = '<|constrain|>json<|message|>{"id":7}<|call|>'
const toSearch = '<|message|>{"query":"a } b"}<|call|>'

const harmony: Record<string, { output: string; expected: Partial<Read> }> = {
  'a thought, a preamble and a call': {
    output: `<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>I delete it.<|end|><|start|>assistant<|channel|>commentary to=functions.delete_account ${toDelete}`,
    expected: { text: 'I delete it.', reasoning: 'Hm.', calls: [deletion] },
  },
  'a thought and an answer': {
    output:
      '<|channel|>analysis<|message|>Hm: 1 < 2.<|end|><|start|>assistant<|channel|>final<|message|>It is `4`.\n\nBye<|return|>',
    expected: { text: 'It is `4`.\n\nBye', reasoning: 'Hm: 1 < 2.', calls: [] },
  },
  'a header that the template began': {
    output: 'analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Four.',
    expected: { text: 'Four.', reasoning: 'Hm.' },
  },
  'an answer only, whose header the template began': {
    output: 'final<|message|>Four.<|return|>',
    expected: { text: 'Four.', reasoning: '' },
  },
  'a recipient before the channel': {
    output: `<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant to=functions.delete_account<|channel|>commentary ${toDelete}`,
    expected: { text: '', reasoning: 'Hm.', calls: [deletion] },
  },
  'a recipient that the output starts with': {
    output: ` to=functions.delete_account<|channel|>commentary ${toDelete}`,
    expected: { text: '', reasoning: '', calls: [deletion] },
  },
  'a call on the channel of thoughts': {
    output: `<|channel|>analysis to=functions.delete_account ${toDelete}`,
    expected: { text: '', reasoning: '', calls: [deletion] },
  },
  'several calls with thoughts between them': {
    output: `<|channel|>commentary to=functions.delete_account ${toDelete}<|start|>assistant<|channel|>analysis<|message|>And now.<|end|><|start|>assistant<|channel|>commentary to=functions.search ${toSearch}`,
    expected: { text: '', reasoning: 'And now.', calls: [deletion, search] },
  },
  'a call, and the answer right behind it': {
    output: `<|channel|>commentary to=functions.search ${toSearch}<|start|>assistant<|channel|>final<|message|>Done.<|return|>`,
    expected: { text: 'Done.', reasoning: '', calls: [search] },
  },
  'a preamble and an answer': {
    output:
      '<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>final<|message|>Four.<|return|>',
    expected: { text: 'I look.\n\nFour.', reasoning: '' },
  },
  'a thought without a closer before the next header': {
    output:
      '<|channel|>analysis<|message|>Hm.<|start|>assistant<|channel|>final<|message|>Four.<|end|>\n',
    expected: { text: 'Four.', reasoning: 'Hm.' },
  },
  'a next turn that the model made up': {
    output: '<|channel|>final<|message|>Four.<|end|><|start|>user<|message|>Thanks!<|end|>',
    expected: { text: 'Four.', reasoning: '' },
  },
}

describe.each(modes)('harmony messages, in %s', (_, options) => {
  it.each(Object.entries(harmony))('are read: %s', (_name, { output, expected }) => {
    expect(read(output, options)).toMatchObject({ error: null, ...expected })
  })

  it.each(Object.entries(harmony))(
    'show no part of a token or header, wherever the output is cut: %s',
    (_name, { output, expected }) => {
      const shown = `${expected.text}${expected.reasoning}`
      for (let at = 0; at < output.length; at++) {
        const { text, reasoning } = read(output.slice(0, at), options)
        // Until the first token, a header that the template began looks like plain words.
        if (/^[\w .=]*<?$/.test(output.slice(0, at))) continue
        for (const part of [text, reasoning.trim()]) {
          expect(part).not.toMatch(/<\||\|>|assistant|channel|analysis|commentary|functions/)
          expect(shown.includes(part.replace(/<$/, ''))).toBe(true)
        }
      }
    },
  )

  it('stream the answer', () => {
    const pieces = cut('<|channel|>final<|message|>It is four.', 2)
    const parts = stream(pieces, tools, options)
    expect(parts.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(3)
  })

  it('are text in inline code and fences', () => {
    const inline = 'A message starts with `<|channel|>final<|message|>` and ends with `<|end|>`.'
    const fenced = `So:\n\`\`\`\n<|start|>assistant<|channel|>commentary to=functions.delete_account ${toDelete}\n\`\`\`\nIt is.`
    for (const output of [inline, fenced])
      expect(read(output, options)).toMatchObject({ text: output, calls: [], reasoning: '' })
  })

  it.each(['analysis', 'final', 'to', 'final answer: 4', 'assistant to you', 'commentary to'])(
    'leave an answer unchanged that starts with the same words: %s',
    (output) => {
      expect(read(output, options)).toMatchObject({ text: output, error: null })
    },
  )
})

describe.each(modes)('tokens around a reply, in %s', (_, options) => {
  it.each([
    ['<|START_RESPONSE|>Four.<|END_RESPONSE|>', 'Four.'],
    ['<|START_TEXT|>Four.<|END_TEXT|><|END_OF_TURN_TOKEN|>', 'Four.'],
    ['<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>Four.<|END_RESPONSE|>', 'Four.'],
    ['hm\n[BEGIN FINAL RESPONSE]\nFour.\n[END FINAL RESPONSE]\n<|end|>', 'hm\nFour.'],
    [
      '<|message_model|><|content_thinking|>hm<|end_message|><|message_model|><|content_text|>Four.<|end_message|><|content_model_end_sampling|>',
      'Four.',
    ],
    ['Four.<|im_end|>', 'Four.'],
    ['Four.<|im_end|>\n', 'Four.'],
    ['Four.<|eot_id|><|im_end|> \n', 'Four.'],
    ['Four.</s>', 'Four.'],
    ['Four.<end_of_turn>\n', 'Four.'],
    ['Four.<turn|>', 'Four.'],
    ['Four.<｜end▁of▁sentence｜>', 'Four.'],
    ['Four.<|im_end|>\n<|im_start|>user\nAnd five?', 'Four.'],
    ['Four.<end_of_turn>\n<start_of_turn>user\nAnd five?', 'Four.'],
  ])('are dropped: %j', (output, text) => {
    expect(read(output, options)).toMatchObject({ text, error: null })
    for (let at = 5; at < output.length; at++)
      expect(read(output.slice(0, at), options).text).not.toMatch(/<\||\|>/)
  })

  it.each([
    'The token `<|im_end|>` ends it.',
    'The token <|im_end|> ends it.',
    'It ends with `<|eot_id|>`',
    '```\nx <|im_end|>\n```',
    '```\n<|START_RESPONSE|>\n```\n',
    'x </s> y',
  ])('are text in code, and before more text: %j', (output) => {
    expect(read(output, options)).toMatchObject({ text: output.trim(), error: null })
  })

  it('may follow a call without a marker', () => {
    const call = '{"name":"delete_account","arguments":{"id":7}}'
    for (const end of ['<|im_end|>', '\n<|eot_id|>', '</s>\n', '<|end|>'])
      expect(read(call + end, options)).toMatchObject({ text: '', calls: [deletion] })
  })
})

describe('a block after a message to a function (R4)', () => {
  const message = `<|channel|>commentary to=functions.delete_account ${toDelete}`
  const block = '<ACTION><search><query>a } b</query></search></ACTION>'
  const both = { text: '', calls: [deletion, search], error: null }

  it('runs after the message, whatever is between them', () => {
    for (const between of [
      '',
      '\n',
      '\n\n<|start|>assistant',
      '<|start|>assistant<|channel|>final<|message|>',
    ])
      expect(read(message + between + block)).toMatchObject({ ...both, calls: both.calls })
    const two = `${message}<|start|>assistant${message}\n${block}`
    expect(read(two).calls).toEqual([deletion, deletion, search])
  })

  it('does not run when the message is wrong (R16) or both were reasoning', () => {
    const wrong = message.replace('7', '"x"') + block
    expect(read(wrong)).toMatchObject({ calls: [], error: 'invalid_params' })
    expect(read(`${message}${block}\n</think>\nHi`)).toMatchObject({ calls: [], error: null })
    const next = `${wrong}\n</think>\n${block}`
    expect(read(next).calls).toEqual([search])
  })

  it('replaces the message in native mode (R18), where the message is shown', () => {
    const { text, calls } = read(`${message}\n${block}`, { rescue: true })
    expect([text, calls]).toEqual([message, [search]])
  })

  it('runs alone after a message without a call, which is returned', () => {
    const words = '<|channel|>commentary to=functions.delete_account<|message|>{"id":7} and more'
    const final = '<|start|>assistant<|channel|>final<|message|>Done.'
    for (const size of [1, 1000]) {
      const parts = stream(cut(words + final, size), tools, { rescue: true })
      expect(toOutcome(parts)).toMatchObject({ text: 'Done.', calls: [] })
      expect(JSON.stringify(parts.at(-1))).toContain('and more')
    }
  })
})
