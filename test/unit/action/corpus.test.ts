import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { formatAction, parseAction } from '../../../src/action/index.ts'
import type { ActionCall } from '../../../src/action/index.ts'
import type { ToolDefinition } from '../../../src/protocol/tool.ts'
import { canonical, cut, stream, toOutcome } from './harness.ts'

interface Case {
  readonly id: string
  readonly note: string
  readonly tools: readonly ToolDefinition[]
  readonly output: string
  readonly finishReason?: string
  readonly expect: {
    readonly text: string
    readonly calls: readonly ActionCall[]
    readonly error: string | null
    readonly suggest?: string
  }
}

const file = new URL('../../fixtures/action/action-cases.json', import.meta.url)
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[]
/** Text that was streamed can't be taken back, so this one needs the option (README of the corpus). */
const prefilled = (id: string): { reasoningPrefilled?: boolean } =>
  id === 'think-08' ? { reasoningPrefilled: true } : {}

function randomCuts(text: string, seed: number): string[] {
  let state = seed
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff
  const pieces: string[] = []
  for (let at = 0; at < text.length;) {
    const size = 1 + Math.floor(next() * 9)
    pieces.push(text.slice(at, at + size))
    at += size
  }
  return pieces
}

describe('the corpus', () => {
  it.each(cases.map((one) => [one.id, one] as const))('%s', (_id, one) => {
    const { text, calls, error, suggest } = one.expect
    const finish = one.finishReason === undefined ? {} : { finishReason: one.finishReason }
    const whole = parseAction(one.output, one.tools, finish)
    expect({ text: whole.text, error: whole.error?.code ?? null }).toEqual({ text, error })
    expect(canonical(whole.calls)).toBe(canonical(calls))
    if (suggest !== undefined) expect(whole.error?.suggestion).toBe(suggest)

    const chunkings = [1, 2, 3, 4, 7, 64, Infinity].map((size) => cut(one.output, size))
    chunkings.push(...[1, 2, 3].map((seed) => randomCuts(one.output, seed)))
    for (const pieces of chunkings) {
      const parts = stream(pieces, one.tools, { ...prefilled(one.id), ...finish }, (shown) => {
        expect(text.startsWith(shown.trim())).toBe(true)
      })
      const outcome = toOutcome(parts)
      expect({ text: outcome.text, error: outcome.error }).toEqual({ text, error })
      expect(canonical(outcome.calls)).toBe(canonical(calls))
      if (suggest !== undefined) expect(outcome.suggestion).toBe(suggest)
    }
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as { polluted?: unknown; admin?: unknown }).polluted).toBeUndefined()
  })

  it.each(cases.filter((one) => one.expect.calls.length > 0).map((one) => [one.id, one] as const))(
    '%s reads back from its own formatting',
    (_id, one) => {
      const again = parseAction(formatAction(one.expect.calls, one.tools), one.tools)
      expect(again.error).toBeUndefined()
      expect(canonical(again.calls)).toBe(canonical(one.expect.calls))
    },
  )
})
