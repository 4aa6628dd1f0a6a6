import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openers } from '../../../src/action/foreign/dialects/table.ts'
import { isTagStart } from '../../../src/action/char-codes.ts'
import { reasoningMarks } from '../../../src/action/scan/reasoning-marks.ts'
import { toolCallFormats as parsers } from '../../../src/providers/doctor/dialects.ts'
import { dialects } from './dialects.ts'
import { dialectTable } from './dialect-table.ts'
import { callFormats } from './known-formats/index.ts'
import { reasoningMarks as samples } from './known-formats/reasoning-marks.ts'

/** The longest mark that is looked for, in characters. */
const maxMark = 40
/** These begin with what also stands inside lines, and so must begin one (R18). */
const wordOpeners = ['functools', 'function call', 'to=functions.', '>>>']
/** No server has a parser of them. */
const unparsed = [
  '<functioncall>',
  '<tool_use>',
  '<|from|>assistant\n<|recipient|>',
  '<|recipient|>',
  '<antml:function_calls>',
  '<antml:invoke name=',
  '<calls>',
]

/** DeepSeek's tokens have two spellings of bars and of blanks. */
const spelled = (text: string): string => text.replaceAll('｜', '|').replaceAll('▁', '_')

const input = { query: 'cats' }
const outputs = [
  ...dialectTable.map(({ write }) => write([{ toolName: 'search', input }])),
  ...Object.values(dialects),
  ...callFormats.flatMap(({ write, variants = {} }) => [
    write([{ name: 'search', input }]),
    ...Object.values(variants).map(({ output }) => output),
  ]),
]
const withOpener = (opener: string): string[] =>
  outputs.filter((output) => spelled(output).includes(spelled(opener)))

describe('each opener of a call in the table', () => {
  it.each(openers)(
    'has a test, a row in the doctor’s table and a place in the scan: %j',
    (opener) => {
      expect(withOpener(opener)).not.toEqual([])
      const isFound = withOpener(opener).some((output) =>
        parsers.some(({ mark }) => mark.test(output)),
      )
      expect(isFound).toBe(!unparsed.includes(opener))
      expect(isTagStart(opener.charCodeAt(0))).toBe(!wordOpeners.includes(opener))
      expect(opener.length).toBeLessThanOrEqual(maxMark)
    },
  )
})

/** K2 Horizon's three marks are one row. */
const plain = (tag: string): string => tag.replace(/_fast(?:er)?/, '')

describe('each mark of reasoning in the table', () => {
  const spec = readFileSync(new URL('../../../docs/action-spec.md', import.meta.url), 'utf8')
  it.each(reasoningMarks)('has a test, a row in R5 and a place in the scan: $close', (mark) => {
    const written = samples.map(({ open, close }) => open + close)
    for (const tag of [mark.open ?? mark.close, mark.close]) {
      expect(isTagStart(tag.charCodeAt(0))).toBe(true)
      expect(tag.length).toBeLessThanOrEqual(maxMark)
    }
    expect(written.filter((text) => text.includes(plain(mark.close)))).not.toEqual([])
    expect(spec.replaceAll('\\|', '|')).toContain(plain(mark.open ?? mark.close))
  })
})
