import { describe, expect, it } from 'vitest'
import { click, search } from './dialect-situations.ts'
import { dialectTable } from './dialect-table.ts'
import { dialects as samples, tools as sampleTools } from './dialects.ts'
import { cut, stream, tools } from './harness.ts'
import { randomOf, randomPieces } from './random.ts'
import { eachNth, someOf } from '../more.ts'

/** Marks of many formats, whole and broken, with no regard to what may follow what. */
const marks = [
  ['<think>', '</think>', '[THINK]', '[/THINK]', '<thought>', '</thought>', '<seed:think>'],
  ['<|START_THINKING|>', '<|END_THINKING|>', '[BEGIN FINAL RESPONSE]', '[END FINAL RESPONSE]'],
  ['<|channel>thought', '<channel|>', '<|open|>think<|sep|>', '<|close|>think<|sep|>'],
  ['<|message_model|><|content_thinking|>', '<|end_message|>', '<|think|>', '◁think▷'],
  ['<|start|>assistant', '<|channel|>', '<|message|>', '<|channel|>analysis<|message|>'],
  ['<|channel|>final<|message|>', '<|end|>', '<|call|>', '<|constrain|>json', 'to=functions.'],
  ['<ACTION>', '</ACTION>', '<action>', '<![CDATA[', ']]>', '<!--', '-->', '<pre>', '</pre>'],
  ['`', '``', '```', '```json\n', '\n```\n', '\n', '\n\n', '- ', '> ', '"', "'", '| a | '],
  ['<|im_end|>', '</s>', '<eos>', '<|eot_id|>', '<end_of_turn>', '<|im_start|>user\n'],
  ['<tool_call>', '</tool_call>', '[TOOL_CALLS]', '<|python_tag|>', 'functools', 'function call'],
  ['<｜DSML｜', '</｜DSML｜', '<ifm|tool_call>', ']<]minimax[>[', '<|open|>call tool="search"'],
  [
    '<|close|>call<|sep|>',
    '<|close|>message<|sep|>',
    '<|recipient|>',
    '<|content|>',
    '<|tool_call:start|>',
    '>>>',
  ],
  ['<function=search>', '</function>', '<parameter=query>', '</parameter>', 'Action: search\n'],
  ['<search>', '</search>', '{"name":"search","arguments":{"query":"x"}}', 'search(query="x")'],
  ['<', '</', '<|', '|>', '>', '{', '}', '[', ']', '(', ')', '\\', '｜', '▁', '&lt;', '👍'],
  ['Some prose. ', 'It says: ', 'word', '\r\n', '    '],
].flat()

function spliced(seed: number): string {
  const random = randomOf(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const pick = <T>(list: readonly T[]): T | undefined => list[below(list.length)]
  const part = (): string =>
    random() < 0.45
      ? (pick(dialectTable)?.write(random() < 0.3 ? [search, click] : [search]) ?? '')
      : (pick(marks) ?? '')
  let text = Array.from({ length: 1 + below(5) }, part).join(random() < 0.5 ? '\n' : '')
  for (let count = below(4); count > 0; count--) {
    const at = below(text.length + 1)
    const to = at + below(8)
    const change = random()
    if (change < 0.4) text = text.slice(0, at) + (pick(marks) ?? '') + text.slice(at)
    else if (change < 0.8) text = text.slice(0, at) + text.slice(to)
    else text = text.slice(0, at)
  }
  return text
}

interface Options {
  readonly rescue: boolean
  readonly reasoningPrefilled: boolean
  readonly finishReason: string
}

/** All that came of the output, however its deltas were cut. */
function read(pieces: readonly string[], options: Options, known = tools): string {
  const deltas = { 'text-delta': '', 'reasoning-delta': '' }
  const others: unknown[] = []
  for (const part of stream(pieces, known, options)) {
    if (part.type === 'text-delta' || part.type === 'reasoning-delta')
      deltas[part.type] += part.delta
    else others.push(part)
  }
  return JSON.stringify([deltas, others])
}

/** `npm run fuzz` sets the seconds; without it a fixed slice runs, always the same. */
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 0)

const SIZES = Array.from({ length: 19 }, (_, at) => at + 1)

describe('a call without a marker beside a Kimi K3 call', () => {
  const unmarked = ['json', 'keyed json', 'python', 'python list', 'json and a stop token']
  it.each(unmarked)('reads the same in chunks of any size: %s', (name) => {
    const plain = samples[name as keyof typeof samples]
    const k3 = samples['kimi k3']
    for (const between of ['', ' ', ', ', '\n', '\n\n'])
      for (const end of ['', '<|close|>message<|sep|>', '<|im_end|>'])
        for (const output of [plain + between + k3 + end, k3 + between + plain + end])
          for (const rescue of [false, true]) {
            const options = { rescue, reasoningPrefilled: false, finishReason: 'stop' }
            const whole = read([output], options, sampleTools)
            for (const size of eachNth(6, SIZES))
              expect([output, read(cut(output, size), options, sampleTools)]).toEqual([
                output,
                whole,
              ])
          }
  })
})

describe('marks of all formats, spliced at random', () => {
  it('read the same in chunks of any size', { timeout: seconds * 1000 + 120_000 }, () => {
    const until = Date.now() + seconds * 1000
    const first = seconds > 0 ? Date.now() : 1
    for (let seed = first; seed < first + someOf(1500) || Date.now() < until; seed++) {
      const output = spliced(seed)
      const options = {
        rescue: seed % 2 === 0,
        reasoningPrefilled: seed % 7 === 0,
        finishReason: seed % 5 === 0 ? 'length' : 'stop',
      }
      const whole = read([output], options)
      for (const pieces of [cut(output, 1), randomPieces(output, seed)]) {
        const message = `${pieces.length} pieces of ${JSON.stringify(output)}, ${JSON.stringify(options)}`
        expect(read(pieces, options), message).toBe(whole)
      }
    }
  })
})
