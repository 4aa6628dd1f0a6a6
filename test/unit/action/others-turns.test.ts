import { describe, expect, it } from 'vitest'
import { click } from './dialect-situations.ts'
import { dialectTable } from './dialect-table.ts'
import { cut, stream, toOutcome, tools } from './harness.ts'
import { eachNth, isInSlice } from '../more.ts'

const block = '<ACTION>\n<click><index>7</index></click>\n</ACTION>'

/** Headers of turns that aren't the model's, by the templates of models. */
const headers: Readonly<Record<string, string>> = {
  ChatML: '<|im_start|>user\n',
  'ChatML, tool': '<|im_start|>tool\n',
  'Llama 3': '<|start_header_id|>user<|end_header_id|>\n\n',
  'Llama 3, results': '<|start_header_id|>ipython<|end_header_id|>\n\n',
  'Llama 4': '<|header_start|>user<|header_end|>\n\n',
  Gemma: '<start_of_turn>user\n',
  'Gemma 4': '<|turn>user\n',
  Granite: '<|start_of_role|>user<|end_of_role|>',
  Cohere: '<|START_OF_TURN_TOKEN|><|USER_TOKEN|>',
  'Phi and GLM': '<|user|>\n',
  'GLM, results': '<|observation|>\n',
  DeepSeek: '<｜User｜>',
  'DeepSeek, results': '<｜tool▁outputs▁begin｜>',
  'Seed-OSS': '<seed:bos>user\n',
  Kimi: '<|im_user|>user<|im_middle|>',
  harmony: '<|start|>user<|message|>',
  'harmony, results': '<|start|>functions.search to=assistant<|channel|>commentary<|message|>',
  Mistral: '[INST] ',
  'Mistral, results': '[TOOL_RESULTS]',
  MiniMax: ']~b]user\n',
  EXAONE: '[|user|]',
  Nemotron: '<extra_id_1>User\n',
  Step: '<|BOT|>user\n',
  PLaMo: '<|plamo:msg|>user\n',
  'Solar 2': '<|begin|>user<|content|>',
  LongCat: '[Round 1] USER:',
}

function names(output: string, rescue: boolean, size: number): readonly string[] {
  const { calls } = toOutcome(stream(cut(output, size), tools, { rescue }))
  return calls.map(({ toolName }) => toolName)
}

let outputs = 0

function reads(output: string): readonly string[] {
  const found = [false, true].map((rescue) => names(output, rescue, output.length))
  // Single characters take most of the time.
  if (!isInSlice(5, outputs++)) return found.flat()
  for (const size of eachNth(2, [1, 5]))
    expect([output, size, [false, true].map((rescue) => names(output, rescue, size))]).toEqual([
      output,
      size,
      found,
    ])
  return found.flat()
}

describe("another speaker's turn (R4)", () => {
  for (const [model, header] of Object.entries(headers))
    it(`no call counts after a plain reply, in a turn of ${model}`, () => {
      const wrong: unknown[] = []
      for (const call of eachNth(2, [block, ...dialectTable.map(({ write }) => write([click]))]))
        for (const reply of ['Done.\n', 'Shall I look?\n\n']) {
          const output = `${reply}${header}${call}`
          const found = reads(output)
          if (found.length > 0) wrong.push([output, found])
        }
      expect(wrong).toEqual([])
    })

  it('the text of the turn is shown', () => {
    for (const rescue of [false, true])
      expect(
        toOutcome(stream(['Templates begin with\n<|user|>\nand so on.'], tools, { rescue })).text,
      ).toBe('Templates begin with\n<|user|>\nand so on.')
  })

  it('a header in code or inside a line ends nothing', () => {
    const own = '<ACTION>\n<search><query>tea</query></search>\n</ACTION>'
    for (const [model, header] of Object.entries(headers))
      // Harmony's header counts inside a line, too.
      for (const before of [
        `It begins with \`${header.trim()}\` as you see.\n\n`,
        `So:\n\`\`\`\n${header}hi\n\`\`\`\n`,
        ...(model.startsWith('harmony') ? [] : [`The mark ${header.trim()} is a header.\n\n`]),
      ])
        expect([model, before, names(before + own, false, 7)]).toEqual([model, before, ['search']])
  })
})
