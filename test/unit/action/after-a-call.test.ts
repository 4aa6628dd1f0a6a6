import { describe, expect, it } from 'vitest'
import { click, search } from './dialect-situations.ts'
import { dialectTable } from './dialect-table.ts'
import type { Dialect } from './dialect-table.ts'
import { cut, stream, toOutcome, tools } from './harness.ts'
import { eachNth, isInSlice } from '../more.ts'

const dialects = dialectTable.filter(({ name }) => name !== 'action')
const block = '<ACTION>\n<click><index>7</index></click>\n</ACTION>'
const others: Readonly<Record<string, (dialect: Dialect) => string>> = {
  'in its own format': (dialect) => dialect.write([click]),
  'as a block': () => block,
}

const lines = (text: string, prefix: string): string => text.replaceAll('\n', `\n${prefix}`)
const isOneLine = (call: string): boolean => !/[\n`]/.test(call)

/** Where a model quotes a call; undefined where it can't. */
const quotations: Readonly<Record<string, (call: string) => string | undefined>> = {
  'in a fence': (call) => `The page shows:\n\`\`\`\`xml\n${call}\n\`\`\`\``,
  'in a fence of tildes': (call) => `The page shows:\n~~~\n${call}\n~~~`,
  'in a fence with carriage returns': (call) =>
    `The page shows:\n\`\`\`\`\n${call}\n\`\`\`\``.replaceAll('\n', '\r\n'),
  'in a fence in a fence': (call) => `So:\n\`\`\`\`\`\n\`\`\`\n${call}\n\`\`\`\n\`\`\`\`\``,
  'in a fence right after it': (call) => `\`\`\`\`\n${call}\n\`\`\`\``,
  'in a fence under an item': (call) => `- So:\n  \`\`\`\`\n  ${lines(call, '  ')}\n  \`\`\`\``,
  "in a fence on an item's line": (call) =>
    `- \`\`\`\`\n  ${lines(call, '  ')}\n  \`\`\`\`\n- done`,
  'in a fence in a blockquote': (call) => `> \`\`\`\`\n> ${lines(call, '> ')}\n> \`\`\`\`\n`,
  'in a comment': (call) => `<!-- ${call} -->`,
  'in a comment of several lines': (call) => `See:\n<!--\n${call}\n-->`,
  'in inline code': (call) => (isOneLine(call) ? `It says \`${call}\`.` : undefined),
  'in inline code of two ticks': (call) =>
    isOneLine(call) ? `It says \`\`${call}\`\`.` : undefined,
  'in thoughts in capitals': (call) => `<THINK>\n${call}\n</THINK >`,
}

interface Read {
  readonly calls: readonly string[]
  readonly shown: string
}

function read(output: string, size: number, rescue: boolean): Read {
  const parts = stream(cut(output, size), tools, { rescue })
  const shown = parts.filter(({ type }) => type !== 'reasoning-delta')
  return {
    calls: toOutcome(parts).calls.map(({ toolName }) => toolName),
    shown: shown.map((part) => ('delta' in part ? part.delta : JSON.stringify(part))).join(''),
  }
}

let outputs = 0

function reads(output: string, rescue: boolean): readonly string[] {
  const whole = read(output, output.length, rescue)
  // Single characters take most of the time.
  if (!isInSlice(5, outputs++)) return whole.calls
  for (const size of eachNth(2, [1, 4]))
    expect([output, read(output, size, rescue)]).toEqual([output, whole])
  return whole.calls
}

describe('after a call, a further call (R3, R18)', () => {
  for (const [place, [where, quote]] of Object.entries(quotations).entries())
    for (const [form, write] of eachNth(24, Object.entries(others)))
      it(`never runs ${where}, ${form}`, () => {
        const wrong: unknown[] = []
        for (const [at, dialect] of dialects.entries()) {
          // `npm test` quotes each format in each second place.
          if (!isInSlice(2, place + at)) continue
          const first = dialect.write([search])
          const quoted = quote(write(dialect))
          if (quoted === undefined || (dialect.thinks && where.includes('thoughts'))) continue
          const output = `${first}\n${quoted}\nI won't do that.`
          const again = `${first}\n${quoted}\n\nSearching again:\n${first}`
          const found = [reads(output, false), reads(output, true)]
          if (found.join('|') !== 'search|') wrong.push([dialect.name, output, ...found])
          for (const each of [again, `${first}\n${quoted}`]) {
            const both = [...reads(each, false), ...reads(each, true)]
            if (both.includes('click')) wrong.push([dialect.name, each, both])
          }
        }
        expect(wrong).toEqual([])
      })
})

/** Text that a model invents after its call: another party's turn, or a result, with a call inside. */
const madeUp: Readonly<Record<string, (call: string) => string>> = {
  'in the next turn of the user': (call) => `<|im_end|>\n<|im_start|>user\n${call}`,
  'in a result in that turn': (call) =>
    `<|im_end|>\n<|im_start|>user\n<tool_response>\n${call}\n</tool_response><|im_end|>`,
  'in a turn of Llama': (call) =>
    `<|eom_id|><|start_header_id|>ipython<|end_header_id|>\n\n${call}<|eot_id|>`,
  'in a turn of Gemma': (call) => `<end_of_turn>\n<start_of_turn>user\n${call}<end_of_turn>`,
  'in a turn of Llama 4': (call) => `<|eot|><|header_start|>user<|header_end|>\n\n${call}`,
  'in a turn of Seed-OSS': (call) => `<seed:eos><seed:bos>user\n${call}`,
  'in a turn of Kimi': (call) => `<|im_end|><|im_system|>tool<|im_middle|>${call}<|im_end|>`,
  'in a turn of GLM': (call) => `\n<|observation|>\n${call}`,
  'in a turn of DeepSeek': (call) => `<｜end▁of▁sentence｜><｜User｜>${call}`,
  'in a result of DeepSeek': (call) => `\n<｜tool▁outputs▁begin｜>${call}`,
  'in a turn of harmony': (call) =>
    `\n<|start|>functions.search to=assistant<|channel|>commentary<|message|>${call}<|end|>`,
  'in <tool_response>': (call) => `\n<tool_response>\n${call}\n</tool_response>`,
  'in <tool_result>': (call) => `\n<tool_result>${call}</tool_result>\nSo it is.`,
  'in <function_results>': (call) => `\n\n<function_results>\n${call}\n</function_results>`,
  'in an observation': (call) => `\nObservation:\n${call}\n`,
}

describe('after a call, text that the model invents (R4)', () => {
  for (const [where, write] of Object.entries(madeUp))
    for (const [form, other] of eachNth(24, Object.entries(others)))
      it(`never runs ${where}, ${form}, and the call before it does`, () => {
        const wrong: unknown[] = []
        for (const dialect of dialectTable) {
          const output = dialect.write([search]) + write(other(dialect))
          const found = [reads(output, false), reads(output, true)]
          if (found.join('|') !== 'search|search') wrong.push([dialect.name, output, ...found])
        }
        expect(wrong).toEqual([])
      })

  it('never runs in a result without a preceding call, in native mode', () => {
    for (const name of ['tool_response', 'tool_result', 'function_results'])
      for (const dialect of dialectTable) {
        const output = `<${name}>\n${dialect.write([click])}\n</${name}>`
        expect([output, reads(output, true)]).toEqual([output, []])
      }
  })

  it('runs only the first of several ReAct calls', () => {
    const [first, second] = [search, click].map(
      ({ toolName, input }) => `Action: ${toolName}\nAction Input: ${JSON.stringify(input)}\n`,
    )
    for (const rescue of [false, true])
      for (const result of ['', ' none', '\nIt is sunny.'])
        expect(reads(`${first}Observation:${result}\n${second}`, rescue)).toEqual(['search'])
  })
})

describe('text between two sections of calls', () => {
  it('is shown in native mode, and returned as ignored in ACTION mode', () => {
    for (const dialect of dialects) {
      const section = dialect.write([search])
      const output = `${section}\nNow the second.\n${section}`
      for (const rescue of [false, true]) {
        const { calls, shown } = read(output, output.length, rescue)
        if (calls.length < 2) continue
        reads(output, rescue)
        expect([dialect.name, shown.split('Now the second.').length]).toEqual([dialect.name, 2])
      }
    }
  })
})

/** Where no call runs, not even the first of the output (R3, R5). */
const places: Readonly<Record<string, (call: string) => string>> = {
  "in a fence on an item's line": (call) =>
    `- \`\`\`\`xml\n  ${lines(call, '  ')}\n  \`\`\`\`\n- done`,
  "in a fence on a numbered item's line": (call) =>
    `1. \`\`\`\`xml\n   ${lines(call, '   ')}\n   \`\`\`\`\n2. done`,
  "in a fence on an item's line, without indent": (call) => `* \`\`\`\`\n${call}\n\`\`\`\`\n\ndone`,
  'in a fence in a blockquote': (call) => `> \`\`\`\`\n> ${lines(call, '> ')}\n> \`\`\`\`\n\nok`,
  'in a fence in a list in a blockquote': (call) =>
    `> - \`\`\`\`\n>   ${lines(call, '>   ')}\n>   \`\`\`\`\n\nok`,
  'in <THINK>': (call) => `<THINK>\n${call}\n</THINK>\nDone.`,
  'in <think >': (call) => `<think >\n${call}\n</think >\nDone.`,
  'in <Thinking>': (call) => `<Thinking>\n${call}\n</Thinking\n>\nDone.`,
}

describe('a call', () => {
  for (const [where, write] of Object.entries(places))
    it(`never runs ${where}`, () => {
      for (const dialect of dialectTable) {
        if (dialect.thinks && where.includes('<')) continue
        const output = write(dialect.write([click]))
        for (const rescue of [false, true])
          expect([output, reads(output, rescue)]).toEqual([output, []])
      }
    })

  it('runs after a fence that is closed or ends with its blockquote', () => {
    const call = dialectTable.find(({ name }) => name === 'hermes')?.write([click]) ?? ''
    for (const before of ['- ```\n  a\n  ```\n', '> ```\n> a\n> ```\n\n', '> ```\n> a\n\n'])
      for (const rescue of [false, true])
        expect([before, reads(`${before}\nNow:\n${call}`, rescue)]).toEqual([before, ['click']])
  })
})

describe('after a block (R4)', () => {
  it('text that looks like a call is ignored, in any chunking', () => {
    for (const next of ['ping()', 'search(query="a")', '{"name":"search","arguments":{}}', '[1]'])
      for (const rest of ['\n```\n</think>\n\nDone.', '\n</think>\n\nDone.', ' </think>Done.']) {
        const output = `${block}\n${next}${rest}`
        const thought = rest.includes('```') ? ['click'] : []
        expect([output, reads(output, false)]).toEqual([output, thought])
      }
  })
})
