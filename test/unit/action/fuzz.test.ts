import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAction } from '../../../src/action/index.ts'
import { anyOutput, goodOutput, mutatedOutput } from './fuzz-cases.ts'
import { canonical, cut, stream, toOutcome, tools } from './harness.ts'
import { eachNth, someOf } from '../more.ts'

/** `npm run fuzz` sets the seconds; without it a fixed slice runs, always the same. */
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 0)
const bounds =
  seconds > 0
    ? {
        interruptAfterTimeLimit: seconds * 1000,
        numRuns: Number.MAX_SAFE_INTEGER,
        seed: Date.now(),
      }
    : { numRuns: someOf(1500), seed: 20_260_101 }
const timeout = seconds * 1000 + 120_000

function streamed(text: string, size: number): string {
  let shown = ''
  const parts = stream(cut(text, size), tools, {}, (now) => {
    expect(now.startsWith(shown)).toBe(true)
    shown = now
  })
  const { text: reply, calls, error, suggestion } = toOutcome(parts)
  return canonical({ reply, calls, error, suggestion })
}

function check(text: string): void {
  const whole = streamed(text, Infinity)
  for (const size of eachNth(2, [1, 2, 3, 5])) expect(streamed(text, size)).toBe(whole)
  parseAction(text, tools)
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(12)
}

describe('any output', () => {
  it(
    'reads the same in every chunking, and never throws, hangs or pollutes prototypes',
    { timeout },
    () => {
      // A letter of two halves, which a piece may divide.
      fc.assert(fc.property(anyOutput, check), { ...bounds, examples: [['<function_calls>𖠀']] })
    },
  )

  it('reads the same in every chunking after a valid output is mutated', { timeout }, () => {
    fc.assert(fc.property(mutatedOutput, check), bounds)
  })

  it('never runs a call that was cut, nor a different one', { timeout }, () => {
    const property = fc.property(
      goodOutput,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (text, where) => {
        const full = parseAction(text, tools).calls.map(canonical)
        const short = parseAction(text.slice(0, Math.floor(where * text.length)), tools, {
          finishReason: 'length',
        })
        expect(full.slice(0, short.calls.length)).toEqual(short.calls.map(canonical))
        if (short.calls.length > 0) expect(short.error).toBeUndefined()
      },
    )
    fc.assert(property, bounds)
  })
})
