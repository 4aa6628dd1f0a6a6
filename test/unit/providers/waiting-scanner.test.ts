import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createActionScanner, createThinkSplitter } from '../../../src/action/index.ts'
import { reasoningMarks } from '../../../src/action/scan/reasoning-marks.ts'
import type { ActionScanner } from '../../../src/action/index.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { WaitingScanner } from '../../../src/providers/text-calls.ts'
import { dialectTable } from '../action/dialect-table.ts'
import { situations } from '../action/dialect-situations.ts'
import { anyOutput, mutatedOutput } from '../action/fuzz-cases.ts'
import { cut, tools as fuzzTools } from '../action/harness.ts'
import { tools } from '../action/dialects.ts'
import { randomPieces } from '../action/random.ts'
import { eachNth, someOf } from '../more.ts'

const OPTIONS = { newId: () => 'id', rescue: true }
const ALL_TOOLS = [...tools, ...fuzzTools.filter(({ name }) => !tools.some((t) => t.name === name))]

/** Text with the white space and the words around which a model's marks stand. */
const PROSE = [
  'Ok',
  ' ',
  '\n',
  '\n\n',
  '  ',
  'a < b',
  'x[0]',
  '[link](u)',
  '- ',
  '> ',
  '`',
  '"',
  '. ',
]
const MARKS = [
  ...reasoningMarks.flatMap(({ open, close }) => [open ?? close, close]),
  '<|start|>assistant<|channel|>final<|message|>',
  'analysis<|message|>',
  'commentary to=functions.search <|constrain|>json<|message|>{"query":"cats"}',
  'assistant to=functions.search<|message|>{}',
  ' to=functions.search{"query":"cats"}',
  '[gMASK]',
  '[END FINAL RESPONSE]',
  '[e~[',
  '[unused10]',
  ']~b]user',
  '[INST]',
  '[|user|]',
  '[Round 1] user:',
  '[TOOL_RESULTS]',
  '<|im_start|>user',
  '<!-- no -->',
  'Observation: ',
  'Action: search\nAction Input: {"query":"cats"}',
  'search(query="cats")',
  'functions.search({"query":"cats"})',
  'search\n{"query":"cats"}',
  '>>>search\n{"query":"cats"}',
  'functools[{"name":"search","arguments":{"query":"cats"}}]',
  '{"name":"search","arguments":{"query":"cats"}}',
  '[search(query="cats")]',
]
const marked = fc
  .array(fc.constantFrom(...PROSE, ...MARKS), { maxLength: 8 })
  .map((parts) => parts.join(''))

/** The parts, with adjacent text of one kind joined. */
function joined(parts: readonly StreamPart[]): StreamPart[] {
  const all: StreamPart[] = []
  for (const part of parts) {
    const last = all.at(-1)
    if (last?.type === part.type && 'delta' in last && 'delta' in part)
      all[all.length - 1] = { ...last, delta: last.delta + part.delta } as StreamPart
    else all.push(part)
  }
  return all
}

function shownIn(parts: readonly StreamPart[]): string {
  return parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')
}

type Reads = 'calls' | 'thoughts'

function expectSame(pieces: readonly string[], reads: Reads, finishReason = 'stop'): void {
  const create = (): Pick<ActionScanner, 'push' | 'end'> =>
    reads === 'calls' ? createActionScanner(ALL_TOOLS, OPTIONS) : createThinkSplitter()
  const whole = create()
  let isLoaded = false
  const names = reads === 'calls' ? ALL_TOOLS.map(({ name }) => name) : null
  const waiting = new WaitingScanner(names, () => {
    expect(isLoaded).toBe(true)
    return create()
  })
  const wanted: StreamPart[] = []
  const given: StreamPart[] = []
  const shown = { wanted: '', given: '' }
  for (const piece of pieces) {
    isLoaded ||= waiting.needsScanner(piece)
    const [next, now] = [whole.push(piece), waiting.push(piece)]
    wanted.push(...next)
    given.push(...now)
    shown.wanted += shownIn(next)
    shown.given += shownIn(now)
    // Nothing is shown early: it might turn out to be a call. An assertion for each character takes most of the time.
    if (reads === 'calls' && !shown.wanted.startsWith(shown.given))
      expect(shown.wanted.slice(0, shown.given.length)).toBe(shown.given)
  }
  wanted.push(...whole.end({ finishReason }))
  given.push(...waiting.end({ finishReason }))
  expect(joined(given)).toEqual(joined(wanted))
}

const seeded = fc.tuple(fc.oneof(anyOutput, mutatedOutput, marked), fc.nat(1_000_000))

describe('a scanner that waits for its part', () => {
  it.each(['calls', 'thoughts'] as const)(
    'gives the parts of a scanner that was there from the start, whatever the cuts: %s',
    (reads) => {
      fc.assert(
        fc.property(seeded, fc.constantFrom('stop', 'length'), ([text, seed], finish) => {
          expectSame(randomPieces(text, seed), reads, finish)
          expectSame(cut(text, 1), reads)
          expectSame([text], reads)
        }),
        { numRuns: someOf(1500) },
      )
    },
  )

  it.each(dialectTable.map((dialect) => [dialect.name, dialect] as const))(
    'reads the same calls: %s',
    (_name, dialect) => {
      for (const [at, { output }] of eachNth(3, [...situations.entries()])) {
        const text = output(dialect) ?? ''
        expectSame(at % 2 === 0 ? cut(text, 1) : randomPieces(text, at), 'calls')
      }
    },
  )

  it('needs no scanner for prose, links, comparisons and indented text', () => {
    const scanner = new WaitingScanner(['search'], () => {
      throw new Error('not loaded')
    })
    const text = 'Prices: 3 < 4 and [ready]. See [the list](u), x[0].\n\n- one\n    two'
    for (const piece of cut(text, 1)) {
      expect(scanner.needsScanner(piece)).toBe(false)
      scanner.push(piece)
    }
    expect(scanner.needsScanner('\nsearch')).toBe(false)
    expect(scanner.push('\nsearch')).toEqual([{ type: 'text-delta', delta: '\n' }])
    expect(scanner.needsScanner('(')).toBe(true)
    expect(scanner.end()).toEqual([{ type: 'text-delta', delta: 'search' }])
  })

  it('needs no think splitter for markup, links and code', () => {
    const scanner = new WaitingScanner(null, () => {
      throw new Error('not loaded')
    })
    const text = 'Use <b>bold</b>, <span>, [Docs](u) and `x[0]`:\n{"a": [1]}\n<section>search()'
    for (const piece of cut(text, 3)) {
      expect(scanner.needsScanner(piece)).toBe(false)
      scanner.push(piece)
    }
    expect(scanner.needsScanner('<Think>')).toBe(true)
  })

  it('starts over after a reset, and keeps no text', () => {
    const scanner = new WaitingScanner(['search'], () => createActionScanner(ALL_TOOLS, OPTIONS))
    expect(scanner.push('one sea')).toEqual([{ type: 'text-delta', delta: 'one sea' }])
    expect(scanner.push('\nsea')).toEqual([{ type: 'text-delta', delta: '\n' }])
    expect(scanner.reset()).toEqual([{ type: 'text-delta', delta: 'sea' }])
    expect(scanner.push('search(query="cats")')).toEqual([])
    expect(scanner.end()).toMatchObject([{ type: 'tool-call', toolName: 'search' }])
  })
})
