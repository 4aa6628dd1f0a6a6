import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatsIn, withVerdicts } from './known-formats/document.ts'
import { callFormats } from './known-formats/index.ts'
import { hotelTools, samplesOf } from './known-formats/samples.ts'
import { callRows, reasoningRows } from './known-formats/verdict.ts'
import { canonical, cut, stream, toOutcome } from './harness.ts'
import { eachNth } from '../more.ts'

const tables = { calls: callRows(), reasoning: reasoningRows() }
const rows = [...tables.calls, ...tables.reasoning]
const document = readFileSync('docs/action.md', 'utf8')

test.each(['calls', 'reasoning'] as const)(
  'the table of %s in docs/action.md lists the formats that have samples',
  (table) => {
    expect(formatsIn(document, table)).toEqual(tables[table].map(({ row }) => row))
  },
)

test('docs/action.md says what is read of each format, and what happens otherwise', async () => {
  // When the reader has learned more: `npx vitest run test/unit/action/known-formats.test.ts -u`
  await expect(withVerdicts(document, rows)).toMatchFileSnapshot('../../../docs/action.md')
})

test.each(rows)('no sample of $row is misread', ({ outcomes }) => {
  const misread = [...outcomes].filter(([, modes]) => modes.includes('wrong'))
  expect(misread.map(([name]) => name)).toEqual([])
})

test.each(callFormats)('no cut-off call of $row runs with other values', (format) => {
  const samples = samplesOf(format)
  const sample = samples.get('two calls') ?? samples.get('one call')
  const { output = '', calls = [] } = sample ?? {}
  const misread: string[] = []
  for (const end of eachNth(
    5,
    Array.from({ length: output.length }, (_, index) => index + 1),
  )) {
    for (const rescue of [false, true]) {
      const ran = stream([output.slice(0, end)], hotelTools, { rescue, finishReason: 'length' })
        .filter((part) => part.type === 'tool-call' && part.input !== undefined)
        .map((part) => part.type === 'tool-call' && { name: part.toolName, input: part.input })
      if (canonical(ran) !== canonical(calls.slice(0, ran.length)))
        misread.push(output.slice(0, end))
    }
  }
  expect(misread).toEqual([])
})

test.each([
  ['Kimi', 'functions.find_hotel:0{"city": "Lyon", "nights": 2}'],
  ['Mistral', 'find_hotel{"city": "Lyon", "nights": 2}'],
  ['DeepSeek V3', 'functionfind_hotel\n```json\n{"city": "Lyon"}\n```'],
  ['DeepSeek V3.1', 'find_hotel{"city": "Lyon"}book_room{"room": "1"}'],
  ['Gemma', 'call:find_hotel{city:Lyon,nights:2}'],
  ['Harmony', 'analysisThey ask.assistantcommentary to=functions.find_hotel json{"city": "Lyon"}'],
  ['Harmony, its header', 'commentary to=functions.find_hotel json{"city": "Lyon"}'],
])('a call stays text after its server strips the special tokens: %s', (_name, output) => {
  for (const rescue of [false, true]) {
    const parts = stream(cut(output, 1), hotelTools, { rescue })
    expect(toOutcome(parts)).toMatchObject({ text: output, calls: [], error: null })
  }
})

test.each(['analysis', 'final', 'commentary', 'all', 'thought', 'to=self', 'functools', 'call:'])(
  'a reply that equals a header word is text: %s',
  (output) => {
    for (const rescue of [false, true]) {
      const parts = stream(cut(output, 1), hotelTools, { rescue })
      expect(toOutcome(parts)).toMatchObject({ text: output, calls: [], error: null })
    }
  },
)
