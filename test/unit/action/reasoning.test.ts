import { describe, expect, it } from 'vitest'
import { createActionScanner, createThinkSplitter, parseAction } from '../../../src/action/index.ts'
import type { ActionScannerOptions } from '../../../src/action/index.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { dialects, tools } from './dialects.ts'
import { cut, stream, toOutcome } from './harness.ts'
import { eachNth } from '../more.ts'

interface Read {
  readonly text: string
  readonly reasoning: string
  readonly ids: readonly unknown[]
  readonly error: string | null
  readonly warnings: readonly string[]
}

function toRead(parts: readonly StreamPart[]): Read {
  const { text, calls, error } = toOutcome(parts)
  return {
    text,
    reasoning: parts.map((part) => (part.type === 'reasoning-delta' ? part.delta : '')).join(''),
    ids: calls.map(({ input }) => (input as { id?: unknown }).id),
    error,
    warnings: parts.flatMap((part) => (part.type === 'warning' ? part.code : [])),
  }
}

/** Reads whole and in pieces of several sizes, and expects the same of each. */
function read(output: string, options: ActionScannerOptions = {}): Read {
  const whole = toRead(stream([output], tools, options))
  for (const size of eachNth(6, [1, 2, 3, 5, 8, 13]))
    expect([size, toRead(stream(cut(output, size), tools, options))]).toEqual([size, whole])
  return whole
}

const modes = [['ACTION mode', {}] as const, ['native mode', { rescue: true }] as const]
const call = (id: number): string => dialects.action.replace('7', String(id))

const marks = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  ['<seed:think>', '</seed:think>'],
  ['<longcat_think>', '</longcat_think>'],
  ['<mm:think>', '</mm:think>'],
  ['<think:opensource>', '</think:opensource>'],
  ['<|channel>thought', '<channel|>'],
  ['<|thought_start|>', '<|thought_end|>'],
  ['<|inner_prefix|>', '<|inner_suffix|>'],
  ['<thought>', '</thought>'],
  ['<|think|>', '<|end|>'],
  ['<|plamo:begin_think:plamo|>', '<|plamo:end_think:plamo|>'],
  ['<|open|>think<|sep|>', '<|close|>think<|sep|>'],
  ['<|message_model|><|content_thinking|>', '<|end_message|>'],
  ['<|channel|>analysis<|message|>', '<|end|>'],
  ['<|start|>assistant<|channel|>analysis<|message|>', '<|end|>'],
  ['analysis<|message|>', '<|end|>'],
] as const
const lone = marks.slice(0, 8).map(([, close]) => close)

describe.each(modes)('reasoning, in %s', (_, options) => {
  it.each(marks)('is split off between %s and %s', (open, close) => {
    expect(read(`${open}a < b\nc${close}\n\nHello`, options)).toMatchObject({
      text: 'Hello',
      reasoning: 'a < b\nc',
      warnings: [],
    })
    expect(read(`${open}${call(1)}${close}${call(2)}`, options)).toMatchObject({ ids: [2] })
  })

  it.each(marks.filter(([open]) => !open.startsWith('analysis')))(
    'is the same in the think splitter between %s and %s',
    (open, close) => {
      for (const size of [1, 4, 100]) {
        const splitter = createThinkSplitter()
        const pieces = cut(`${open}why${close}Hello`, size)
        const parts = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
        expect(toRead(parts)).toMatchObject({ text: 'Hello', reasoning: 'why' })
      }
    },
  )

  it.each(marks)('is shown as text in code: %s', (open, close) => {
    const inline = `Write \`${open}\` and then \`${close}\`, please.`
    const fenced = `So:\n\`\`\`\n${open}\n${close}\n\`\`\`\nDone.`
    for (const output of [inline, fenced])
      expect(read(output, options)).toMatchObject({ text: output, reasoning: '', warnings: [] })
  })

  it.each([...lone, '[BEGIN FINAL RESPONSE]'])('may end without an opener: %s', (close) => {
    const { text, warnings } = read(`hm\n\n${close}\nHello`, options)
    expect([text, warnings]).toEqual(['hm\n\nHello', ['lone-think-closer']])
    expect(parseAction(`hm\n\n${close}\nHello`, tools).text).toBe('Hello')
  })

  it('keeps a mark that a line mentions: [THINK]', () => {
    const output = 'The mark [THINK] opens it.'
    expect(read(output, options)).toMatchObject({ text: output, reasoning: '' })
  })

  it('shows no part of a mark cut off by the end', () => {
    for (const [open, close] of marks) {
      for (let at = open.length - 1; at >= 4; at--)
        expect([open.slice(0, at), read(open.slice(0, at), options).text]).toEqual([
          open.slice(0, at),
          /^\w+<?$/.test(open.slice(0, at)) ? open.slice(0, at) : '',
        ])
      const { text, reasoning } = read(`${open}why${close.slice(0, -1)}`, options)
      expect([open, text, reasoning]).toEqual([open, '', 'why'])
    }
  })
})

describe.each(modes)('a call before a lone reasoning closer, in %s', (_, options) => {
  it.each(Object.entries(dialects))('is reasoning, in any dialect: %s', (_dialect, each) => {
    for (const between of ['\n', '\n\nOr not.\n', '\n`</think>` ends it.\n'])
      expect(read(`Hm.\n\n${each}${between}</think>\nNo.`, options)).toMatchObject({
        ids: [],
        error: null,
        warnings: expect.arrayContaining(['lone-think-closer']),
      })
  })

  it('is superseded by the call after the closer', () => {
    for (const each of Object.values(dialects)) {
      const output = `Hm.\n${call(1)}\nNo.\n</think>\n${each}`
      expect(read(output, options)).toMatchObject({ ids: [7], error: null })
      expect(parseAction(output, tools).calls).toEqual([
        { toolName: 'delete_account', input: { id: 7 } },
      ])
    }
  })
})

const next = dialects['gemma 4'].replace('7', '8')

/** The call without its closers: cut before each tag, as far as none of its own is left. */
function unclosed(written: string): string[] {
  const tags = [...written.matchAll(/<[^<>]*>|\[\/?\w+\]/g)].map(({ index }) => index)
  const cuts = tags.map((at) => written.slice(0, at)).filter((section) => section.includes('7'))
  return [written, ...cuts]
}

describe.each(modes)('an unclosed call before a lone reasoning closer, in %s', (_, options) => {
  it.each(Object.entries(dialects))('never runs: %s', (_dialect, each) => {
    for (const close of ['</think>', '[/THINK]', '<|END_THINKING|>', '</mm:think>'])
      for (const section of unclosed(each)) {
        const { ids, error, warnings } = read(`Hm.\n\n${section}\n${close}\nNo.`, options)
        expect([section, ids]).toEqual([section, []])
        if (error === null) expect([section, warnings]).toEqual([section, ['lone-think-closer']])
        if (error !== null) continue
        const { ids: after } = read(`Hm.\n\n${section}\n${close}\n${next}`, options)
        expect([section, after]).toEqual([section, [8]])
      }
  })

  it('does not stop an unclosed call after the closer from being read', () => {
    const section =
      '<minimax:tool_call>\n<invoke name="delete_account">\n<parameter name="id">7</parameter>\n</invoke>\n'
    const output = `Hm.\n${section}</think>\nOr:\n${section}[/THINK]\n${call(8)}`
    expect(read(output, options)).toMatchObject({ ids: [8], error: null })
    expect(read(`${section}</think>\nOr:\n`.repeat(20) + call(8), options).ids).toEqual([])
    expect(read(`${section}<think>\n</think>\n${next}`, options).ids).toEqual([7, 8])
  })
})

describe('reasoning opened by the prompt, with a JSON call in a fence', () => {
  const fenced =
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>delete_account\n```json\n{"id":7}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
  for (const closer of ['</think>', '[/THINK]', '[BEGIN FINAL RESPONSE]', '[unused17]']) {
    it.each(modes)(`ends at its closer without running the call: ${closer}, %s`, (_, options) => {
      const output = `I might\n${fenced}\nno.\n${closer}\nHello.\n\n`
      expect(read(output, options)).toMatchObject({ ids: [], warnings: ['lone-think-closer'] })
      expect(read(output + call(8), options).ids).toEqual([8])
    })
  }
})

describe('text after a block in ACTION mode', () => {
  it.each([
    ['reasoning with both tags', '<think>hm</think>'],
    ['a closer in inline code', 'I wrote `</think>` there.'],
    ['a closer in a fence', '\n```\n</think>\n```\n'],
    ['a closer in a comment', '<!-- </think> -->'],
    ['a closer in another block', '\n<ACTION><search><query></think></query></search></ACTION>'],
  ])('does not stop the block from being a call: %s', (_, after) => {
    const outcome = read(call(1) + after)
    expect(outcome).toMatchObject({ ids: [1], warnings: [], text: '', reasoning: '' })
    const raw = stream(cut(call(1) + after, 3), tools).find(({ type }) => type === 'raw')
    expect(raw).toEqual({ type: 'raw', data: { ignored: after } })
  })
})

describe.each(modes)('a call in reasoning that never ends, in %s', (_, options) => {
  it.each(Object.entries(dialects))('does not run and causes a warning: %s', (_dialect, each) => {
    const after = each === dialects.action ? '\nor so' : ''
    const { ids, warnings, text } = read(`<think>I call it.\n${each}${after}`, options)
    expect([ids, text, warnings]).toEqual([[], '', ['call-in-reasoning']])
  })

  it('causes one warning, and none when the reasoning ends', () => {
    const several = `<think>First\n${dialects.hermes}\nthen\n${dialects.kimi}\n`
    expect(read(several, options).warnings).toEqual(['call-in-reasoning'])
    expect(read(`${several}</think>ok`, options).warnings).toEqual([])
    expect(read('<think>I may use `<tool_call>` or delete_account', options).warnings).toEqual([])
  })
})

describe('a block that ends an output, inside unclosed reasoning', () => {
  const output = `<think>Perhaps:\n${call(1)}`
  const endedBy = (finishReason: string): Read => {
    const scanner = createActionScanner(tools)
    return toRead([...scanner.push(output), ...scanner.end({ finishReason })])
  }

  it('is a call when the model stopped by itself', () => {
    expect(endedBy('stop').ids).toEqual([1])
  })

  it.each(['length', 'content-filter'])('is part of the reasoning when %s cut it off', (reason) => {
    expect(endedBy(reason)).toMatchObject({ ids: [], warnings: ['call-in-reasoning'] })
  })
})
