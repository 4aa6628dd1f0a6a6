import { describe, expect, it } from 'vitest'
import { AS_WRITTEN, click, search, situations } from './dialect-situations.ts'
import type { Expectation, Mode } from './dialect-situations.ts'
import { dialectTable } from './dialect-table.ts'
import type { Dialect } from './dialect-table.ts'
import { canonical, cut, stream, toOutcome, tools } from './harness.ts'
import type { Outcome } from './harness.ts'
import { randomPieces } from './random.ts'
import { eachNth, isInSlice } from '../more.ts'

const modes: readonly Mode[] = ['ACTION mode', 'native mode']

/** Chunkings by name: in one piece, in small ones, and in random ones of a fixed seed. */
function chunkings(text: string): [string, readonly string[]][] {
  return [
    ['whole', [text]],
    ['1 character each', cut(text, 1)],
    ['3 characters each', cut(text, 3)],
    ...[1, 2].map((seed): [string, string[]] => [
      `random pieces, seed ${seed}`,
      randomPieces(text, seed),
    ]),
  ]
}

function everyCut(text: string): [string, readonly string[]][] {
  return Array.from({ length: text.length - 1 }, (_, at) => [
    `cut at ${at + 1}`,
    [text.slice(0, at + 1), text.slice(at + 1)],
  ])
}

const read = (pieces: readonly string[], mode: Mode): Outcome =>
  toOutcome(stream(pieces, tools, { rescue: mode === 'native mode' }))

const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

interface Where {
  readonly mode: Mode
  readonly chunking: string
  readonly output: string
}

/** Fails with all that one needs to try it alone. */
function same(got: object, wanted: object, { mode, chunking, output }: Where): void {
  const message = `${mode}, ${chunking}, of ${JSON.stringify(output)}: got ${JSON.stringify(got)}`
  expect(got, message).toEqual(wanted)
}

/** The outcome in the terms of an expectation. */
function compared(outcome: Outcome, wanted: Expectation, output: string): [object, object] {
  const { text } = wanted
  const isAsWritten = text === AS_WRITTEN
  const shown = isAsWritten ? outcome.text : words(outcome.text)
  const reply = text === undefined ? shown : isAsWritten ? output.trim() : words(text)
  const calls = wanted.calls.map(canonical)
  return [
    { calls: outcome.calls.map(canonical), error: outcome.error, text: shown },
    { calls, error: wanted.error ?? null, text: reply },
  ]
}

/** A thought is no part of the reply, so that isn't the output as it was written. */
function withoutThoughts(
  { thinks }: Dialect,
  wanted: Expectation | undefined,
): Expectation | undefined {
  return thinks && wanted?.text === AS_WRITTEN ? { calls: wanted.calls } : wanted
}

let checks = 0

function check(output: string, mode: Mode, wanted: Expectation | undefined): void {
  const whole = read([output], mode)
  if (wanted) same(...compared(whole, wanted, output), { mode, chunking: 'whole', output })
  // Single characters take most of the time.
  if (!isInSlice(5, checks++)) return
  for (const [chunking, pieces] of eachNth(4, chunkings(output).slice(1)))
    same(read(pieces, mode), whole, { mode, chunking, output })
}

describe('a call', () => {
  for (const { name, output, expect: wanted } of situations) {
    describe(name, () => {
      for (const dialect of dialectTable) {
        const text = output(dialect)
        if (text === undefined) continue
        it(`in ${dialect.name}`, () => {
          for (const mode of modes)
            check(text, mode, withoutThoughts(dialect, wanted(dialect, mode)))
        })
      }
    })
  }
})

describe('a call that ends an answer, split in two anywhere', () => {
  for (const dialect of dialectTable) {
    it(`reads the same in ${dialect.name}`, () => {
      const output = `So \`a\`:\n${dialect.write([search, click])}\n`
      for (const mode of modes) {
        const whole = read([output], mode)
        for (const [chunking, pieces] of eachNth(120, everyCut(output)))
          same(read(pieces, mode), whole, { mode, chunking, output })
      }
    })
  }
})

describe('an output that ends anywhere inside a call (R6)', () => {
  const before = 'Look:'
  const wanted = [search, click].map(canonical)
  for (const dialect of dialectTable) {
    it(`gives whole calls or none, and shows no part of them, in ${dialect.name}`, () => {
      const whole = `${before}\n${dialect.write([search, click])}`
      for (const mode of modes) {
        const ends = Array.from(
          { length: whole.length - before.length - 5 },
          (_, at) => before.length + 5 + at,
        )
        for (const end of eachNth(120, ends)) {
          for (const finishReason of end % 3 > 0 ? ['length'] : ['length', 'stop']) {
            const output = whole.slice(0, end)
            const rescue = mode === 'native mode'
            const read = toOutcome(stream([output], tools, { rescue, finishReason }))
            const calls = read.calls.map(canonical)
            const isHidden = calls.length > 0 || dialect.marker === 'token'
            // Less than four characters of a marker are text.
            const shown = read.text.slice(before.length).trim().length < 4 ? before : read.text
            const text = isHidden ? before : shown
            const got = { calls, text: shown }
            same(
              got,
              { calls: wanted.slice(0, calls.length), text },
              { mode, chunking: finishReason, output },
            )
          }
        }
      }
    })
  }
})
