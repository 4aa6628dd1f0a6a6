import { describe, expect, test } from 'vitest'
import { detectToolCallFormat, toolCallFormats } from '../../../src/providers/doctor/dialects.ts'
import { callFormats } from '../action/known-formats/index.ts'
import { lyon } from '../action/known-formats/samples.ts'
import { read } from '../docs/sources.ts'
import { parsersOf, registries } from './registries.ts'

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

const names = (parsers: string): string[] => parsers.split(' ').filter((name) => name !== '')

const known = new Map(rowsOf('docs/action.md', 'calls').map((cells) => [cells[0] ?? '', cells]))

test.each(callFormats.map((format) => [format.row, format] as const))(
  '%s: the parsers are those of docs/action.md',
  (row, format) => {
    const [, , llamacpp, vllm, sglang, ollama] = known.get(row) ?? []
    const found = detectToolCallFormat(format.write([lyon]))
    if (!found) throw new Error('Not recognised.')
    for (const [parsers, cell, registered] of [
      [found.vllm, vllm, registries.vllm.calls],
      [found.sglang, sglang, registries.sglang.calls],
      [found.ollama, ollama, []],
    ] as const) {
      if (released(cell).length === 0) expect(parsers).toBe('')
      else expect(parsers).not.toBe('')
      const listed = [...parsersOf(released(cell), registered)]
      expect(listed).toEqual(expect.arrayContaining([...parsersOf(names(parsers), registered)]))
    }
    expect(found.llamacpp === true).toBe(released(llamacpp).length > 0)
  },
)

test('every dialect of the doctor is found by its own mark', () => {
  const samples = callFormats.flatMap(({ write, variants = {} }) => [
    write([lyon]),
    ...Object.values(variants).map(({ output }) => output),
  ])
  const found = new Set(samples.map((text) => detectToolCallFormat(text)?.name))
  // Known from outside of the table of formats.
  found.add(detectToolCallFormat('Thought: one\nAction: find_hotel\nAction Input: {}')?.name)
  expect(toolCallFormats.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([])
})

describe.each([
  ['vllm', 'docs/providers/vllm.md', 3],
  ['sglang', 'docs/providers/openai-compatible.md', 4],
] as const)('%s', (server, document, column) => {
  const { calls, reasoning } = registries[server]
  const rows = rowsOf(document, 'models')
  const quoted = (text = ''): string[] =>
    [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  const sorted = (parsers: Iterable<string>): string[] => [...parsers].toSorted()
  const namesIn = (at: number): string[] => rows.flatMap((cells) => quoted(cells[at]))

  test(`${document}: a row names one parser of each kind at most`, () => {
    for (const [models, call = '', thought = ''] of rows) {
      expect(call, models).toMatch(/^(`[\w-]+`|–)$/)
      expect(thought, models).toMatch(/^(`[\w-]+`|–)$/)
    }
  })

  test('the doctor names exactly the parsers that the document lists', () => {
    const given = sorted(
      parsersOf(
        toolCallFormats.flatMap((dialect) => names(dialect[server])),
        calls,
      ),
    )
    const listed = sorted(parsersOf(namesIn(1), calls))
    expect(given).toEqual(listed)
    expect(listed).toEqual(calls.toSorted())
  })

  test('the document names every reasoning parser, and no other', () => {
    const all = reasoning.flatMap((entry) => entry.split(' '))
    expect(namesIn(2).filter((name) => !all.includes(name))).toEqual([])
    const named = new Set([...namesIn(2), ...namesIn(3)])
    expect(all.filter((name) => !named.has(name))).toEqual([])
  })

  test('the formats of docs/action.md name exactly the registered parsers', () => {
    const cells = rowsOf('docs/action.md', 'calls').flatMap((row) => released(row[column]))
    // MiniMax M1's, of older versions.
    const given = parsersOf(
      cells.filter((name) => name !== 'minimax'),
      calls,
    )
    expect(sorted(given)).toEqual(calls.toSorted())
  })

  test('the reasoning marks of docs/action.md name registered parsers, but not all', () => {
    const all = reasoning.flatMap((entry) => entry.split(' '))
    const cells = rowsOf('docs/action.md', 'reasoning').flatMap((row) => released(row[column]))
    const given = cells.map((name) => name.replace(/ …$/, ''))
    expect(given.filter((name) => !all.includes(name))).toEqual([])
  })
})
