import { expect, test } from 'vitest'
import { dialectOf, dialects } from '../../../src/providers/doctor/dialects.ts'
import { callFormats } from '../action/known-formats/index.ts'
import { lyon } from '../action/known-formats/samples.ts'
import { read } from '../docs/sources.ts'

// The doctor's names of parsers, and those of the documents.

/** The cells of each row of the table whose head starts so. */
function rowsOf(document: string, head: string): string[][] {
  const lines = read(document).split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${head} `))
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'))
  return lines.slice(start + 2, end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  )
}

/** The parsers in a cell of docs/action.md that a released server has. */
function released(cell = ''): string[] {
  return cell.split(', ').filter((name) => !/^–$|\*$/.test(name))
}

const names = (parsers: string | undefined): string[] => parsers?.split(' ') ?? []

const known = new Map(rowsOf('docs/action.md', 'calls').map((cells) => [cells[0] ?? '', cells]))

test.each(callFormats.map((format) => [format.row, format] as const))(
  '%s: the parsers are those of docs/action.md',
  (row, format) => {
    const [, , llamacpp, vllm, sglang, ollama] = known.get(row) ?? []
    const found = dialectOf(format.write([lyon]))
    if (!found) throw new Error('Not recognised.')
    for (const [parsers, cell] of [
      [found.vllm, vllm],
      [found.sglang?.replace('qwen ', 'qwen25 '), sglang], // two names of one parser
      [found.ollama, ollama],
    ] as const) {
      if (released(cell).length === 0) expect(parsers).toBeUndefined()
      else expect(parsers).toBeDefined()
      expect(released(cell)).toEqual(expect.arrayContaining(names(parsers)))
    }
    expect(found.llamacpp === true).toBe(released(llamacpp).length > 0)
  },
)

test('every dialect of the doctor is found by its own mark: none stands in front of it', () => {
  const samples = callFormats.flatMap(({ write, variants = {} }) => [
    write([lyon]),
    ...Object.values(variants).map(({ output }) => output),
  ])
  const found = new Set(samples.map((text) => dialectOf(text)?.name))
  // Known from outside of the table of formats.
  found.add(dialectOf('Thought: one\nAction: find_hotel\nAction Input: {}')?.name)
  expect(dialects.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([])
})

test.each([
  ['vllm', 'docs/providers/vllm.md'],
  ['sglang', 'docs/providers/openai-compatible.md'],
] as const)('the parsers of %s are those that %s lists', (server, document) => {
  const listed = rowsOf(document, 'models').flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  )
  const given = dialects.flatMap((dialect) => names(dialect[server]))
  expect([...new Set(given)].toSorted()).toEqual([...new Set(listed)].toSorted())
})
