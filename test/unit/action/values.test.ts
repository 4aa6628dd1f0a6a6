import { describe, expect, it } from 'vitest'
import { dialectTable } from './dialect-table.ts'
import type { Dialect } from './dialect-table.ts'
import { invoke, pairs, parameters } from './dialect-writers.ts'
import type { Call } from './dialect-writers.ts'
import { canonical, cut, stream, toOutcome, tools } from './harness.ts'
import { eachNth } from '../more.ts'

const block = '<ACTION><list_tabs></list_tabs></ACTION>'
/** Values with marks that have a meaning in prose, but not in a value. */
const values = [
  'keep <think>x</think> this',
  'a </think> b',
  'a [BEGIN FINAL RESPONSE] b',
  '<|START_THINKING|>t<|END_THINKING|>u',
  'a\n[THINK]b[/THINK] c',
  `a ${block} b`,
  `a\n${block}\nb`,
  'a\n[TOOL_CALLS][{"name":"list_tabs","arguments":{}}]\nb',
  'a\n<tool_call>\n{"name":"list_tabs","arguments":{}}\n</tool_call>\nb',
  `it's "a, 'b" and \`c, \`\`\`d`,
  'a <!-- b',
  'a <|im_end|>\n<|im_start|>user b',
  'a<b',
  'a <',
]

const m3 = ']<]minimax[>['
const k3 = (call: Call): string =>
  `<|open|>call tool="${call.toolName}" index="0"<|sep|>${parameters(
    call,
    (name, value) =>
      `<|open|>argument key="${name}" type="string"<|sep|>${String(value)}<|close|>argument<|sep|>`,
    '',
  )}<|close|>call<|sep|>`
const writers: readonly Pick<Dialect, 'name' | 'write' | 'without' | 'marker'>[] = [
  ...dialectTable,
  ...Object.entries({
    'kimi k3': (calls: readonly Call[]) =>
      `<|open|>tools<|sep|>${calls.map(k3).join('')}<|close|>tools<|sep|>`,
    'kimi k3 without a section': (calls: readonly Call[]) => calls.map(k3).join(''),
    'k2 horizon': (calls: readonly Call[]) =>
      calls
        .map(
          (call) => `<ifm|tool_call>${call.toolName}\n${pairs(call, 'ifm|', '\n')}</ifm|tool_call>`,
        )
        .join('\n'),
    'minimax m3': (calls: readonly Call[]) =>
      `${m3}<tool_call>\n${calls
        .map(
          (call) =>
            `${m3}<invoke name="${call.toolName}">${parameters(
              call,
              (name, value) => `${m3}<${name}>${String(value)}${m3}</${name}>`,
              '',
            )}${m3}</invoke>\n`,
        )
        .join('')}${m3}</tool_call>`,
    dsml: (calls: readonly Call[]) =>
      calls.map((call) => invoke(call, '｜DSML｜', ' string="true"')).join('\n'),
    solar: (calls: readonly Call[]) =>
      calls
        .map(
          (call) =>
            `<|tool_call:start|>${call.toolName}${parameters(
              call,
              (name, value) =>
                `<|tool_arg:start|>${name}<|tool_arg:value|>${String(value)}<|tool_arg:end|>`,
              '',
            )}<|tool_call:end|>`,
        )
        .join('\n'),
  }).map(([name, write]) => ({ name, write, marker: 'token' as const, without: /<tool_call>/ })),
]

describe('a value that holds marks arrives unchanged', () => {
  for (const { name, write, without, marker } of writers) {
    it(`in ${name}`, () => {
      for (const value of eachNth(4, values)) {
        if (without?.test(value)) continue
        const call = { toolName: 'write_file', input: { path: 'a.md', content: value } }
        const twice = { toolName: 'write_file', input: { path: value, content: value } }
        for (const rescue of [false, true]) {
          // R4: the first block counts.
          const later = marker === 'block' && !rescue ? [] : [twice]
          const output = `${write([call])}\n${write([twice])}`
          for (const pieces of [[output], cut(output, 1)]) {
            const { calls, error } = toOutcome(stream(pieces, tools, { rescue }))
            const message = `${rescue ? 'native' : 'ACTION'} mode, ${pieces.length} pieces, of ${JSON.stringify(output)}`
            expect([error, calls.map(canonical)], message).toEqual([
              null,
              [call, ...later].map(canonical),
            ])
          }
        }
      }
    })
  }
})
