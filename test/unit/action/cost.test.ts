import { afterAll, describe, expect, it } from 'vitest'
import { worst } from '../../../bench/lib/action-worst.mjs'
import { CallFinder } from '../../../src/action/find-calls.ts'
import { createActionScanner } from '../../../src/action/index.ts'
import { cut, tools } from './harness.ts'
import { openers } from '../../../src/action/foreign/dialects/table.ts'
import { dialectTable } from './dialect-table.ts'
import { openings, pathological } from './pathological.ts'
import type { Pathological } from './pathological.ts'
import { randomOf } from './random.ts'
import { WorkMeter } from './work-meter.ts'
import { eachNth, someOf } from '../more.ts'

/** `npm run fuzz` sets the seconds; without it a fixed slice runs, always the same. */
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 0)
const sizes = [2500, 10_000] as const
/** Steps for each character: text costs 30 to 60, a call 200, what may begin a call at every character 1000 and more. */
const usual = 400
const most = 8000
/** From the first size to the second: what is bounded has reached its bound before. */
const growth = 1.5

interface Way {
  readonly rescue: boolean
  readonly pieceLength: number
}

const meter = new WorkMeter('/src/action/')
afterAll(() => meter.close())

/** Steps for each character of an output of about `size`. */
function work({ make }: Pathological, size: number, { rescue, pieceLength }: Way): number {
  const text = make(size)
  const pieces = cut(text, pieceLength)
  const steps = meter.count(
    () => {
      const scanner = createActionScanner(tools, { rescue, newId: () => 'id' })
      for (const piece of pieces) scanner.push(piece)
      scanner.end()
    },
    2 * most * text.length,
  )
  return steps / text.length
}

/** Problems with the cost of this input. Empty if there are none. */
function problem(input: Pathological, way: Way): string[] {
  const [small, large] = sizes
  const before = work(input, small, way)
  if (before <= usual) return []
  const after = before < most ? work(input, large, way) : before
  if (after < most && after / before < growth) return []
  const where = `${input.name}, ${way.rescue ? 'native' : 'ACTION'} mode, pieces of ${way.pieceLength}`
  const costs = [before, after].map(Math.round).join(' and then ')
  return [`${where}: ${costs} steps for each of ${small} and ${large} characters`]
}

const ways = [Infinity, 3, 1, 64].flatMap((pieceLength) =>
  [false, true].map((rescue) => ({ rescue, pieceLength })),
) as [Way, ...Way[]]

/** Whole in ACTION mode, and in small pieces in native mode. */
const mainWays = [ways[0], ...ways.slice(3, 4)]

const repeated = (head: string, unit: string): Pathological => ({
  name: `${JSON.stringify(head)} + ${JSON.stringify(unit)} × n`,
  make: (size) => head + unit.repeat(Math.max(1, Math.floor((size - head.length) / unit.length))),
})

describe('reading cost (counted in steps, the same on any machine)', () => {
  it('detects a reader that rescans its input, by its rising cost per character', () => {
    const text = repeated('', 'word ')
    const again = (size: number): number =>
      meter.count(() => {
        const scanner = createActionScanner(tools)
        for (let at = 10; at < size; at += 10) {
          const fresh = createActionScanner(tools)
          fresh.push(text.make(at))
        }
        scanner.end()
      }) / size
    expect(again(2000) / again(500)).toBeGreaterThan(3)
  })

  it.each(eachNth(36, worst).map((input) => [input.name, input] as const))(
    'stays constant per character: %s',
    (_, input) => {
      expect(mainWays.flatMap((way) => problem(input, way))).toEqual([])
    },
  )

  it(
    'stays constant per character for each opened construct that never ends',
    { timeout: 300_000 },
    () => {
      const units = ['a', ' ', '\n', 'a line\n', '"', '<']
      const problems = eachNth(80, openings).flatMap((opening, at) => {
        const unit = at % 2 === 0 ? opening : units[(at >> 1) % units.length]
        return problem(repeated(opening, unit || 'a'), ways[(at >> 1) % 8] ?? ways[0])
      })
      expect(problems).toEqual([])
    },
  )

  it(
    'stays constant per character for calls and openers of every format on one line',
    { timeout: 300_000 },
    () => {
      const call = { toolName: 'search', input: { query: 'x' } }
      const units = [
        ...dialectTable.flatMap(({ write }) => [write([call]), write([call, call, call])]),
        ...openers,
      ]
      const problems = eachNth(80, units).flatMap((unit, at) =>
        problem(repeated('', unit), ways[at % ways.length] ?? ways[0]),
      )
      expect(problems).toEqual([])
    },
  )

  it(
    'stays constant per character for openings followed by arbitrary text',
    { timeout: seconds * 1000 + 300_000 },
    () => {
      const random = randomOf(seconds > 0 ? Date.now() % 1e9 : 11)
      const all = pathological()
      const end = Date.now() + seconds * 1000
      const problems: string[] = []
      for (let count = 0; count < someOf(30) || Date.now() < end; count++) {
        const input = all[Math.floor(random() * all.length)]
        const way = ways[Math.floor(random() * ways.length)]
        if (input && way) problems.push(...problem(input, way))
      }
      expect(problems).toEqual([])
    },
  )
})

/**
 * Inputs that could make the finder read the same text again and again: elements, blocks and names without a certain
 * end.
 */
const tangled = [
  ['', '<search><!-- </search>'],
  ['', '<search><query>'],
  ['', '<search a="</search>'],
  ['', '<search><![CDATA[</search>'],
  ['<search>', '</search>'],
  ['', '<ACTION>'],
  ['', '<ACTION><search>'],
  ['', '<tool_call>{'],
  ['', 'search('],
  ['', '<ACTION>{"name":"search",'],
  ['<ACTION>', '<name>search</name><query>a</query>'],
  ['<ACTION><name>search</name>', '<query>a</query>'],
  ['', '>>>search:0\n{'],
  ['', 'Action: search\nAction Input:\n'],
  ['', '<｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query":"a"}'],
  ['', 'functools{"name":"search"}'],
] as const

describe('the cost of finding calls in untrusted text', () => {
  const find = ({ make }: Pathological, size: number): number => {
    const text = make(size)
    const read = (): void => new CallFinder(tools).addText(text)
    return meter.count(read, 2 * most * text.length) / text.length
  }
  it.each(eachNth(4, tangled).map(([head, unit]) => repeated(head, unit)))(
    'stays constant per character: $name',
    (input) => {
      const [small, large] = sizes
      const before = find(input, small)
      if (before > usual) expect(find(input, large) / before).toBeLessThan(growth)
      expect(before).toBeLessThan(most)
    },
  )
})

describe('deeply nested output', () => {
  const nested = ['print(', 'search(', '[', '(', '{"a":', '<a>', '<tool_call>', '<ACTION>\n', '> ']
  it.each([
    ...nested.map((unit) => [unit, 150_000] as const),
    ...eachNth(12, openings.filter(Boolean)).map((unit) => [unit, 20_000] as const),
  ])('does not throw: %j × n', (unit, size) => {
    const output = unit.repeat(Math.floor(size / unit.length))
    for (const rescue of [false, true]) {
      const scanner = createActionScanner(tools, { rescue })
      scanner.push(output)
      scanner.end()
    }
  })

  it('does not throw for fence lines in a block, written by the model or by others', () => {
    const lines = `<ACTION>\n${'```j\n'.repeat(30_000)}`
    const scanner = createActionScanner(tools)
    scanner.push(lines)
    scanner.end()
    new CallFinder(tools).addText(`${lines.slice(0, 19_000)}x\n\`\`\`\n</ACTION>`)
  })
})
