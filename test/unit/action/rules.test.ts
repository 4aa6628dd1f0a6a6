import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseAction } from '../../../src/action/index.ts'
import { canonical, cut, stream, toOutcome, tools } from './harness.ts'

interface Case {
  /** The rule of docs/action-spec.md that decides it. */
  readonly rule: string
  readonly output: string
  readonly expect: { text: string; calls: unknown[]; error: string | null; suggest?: string }
}

const file = new URL('../../fixtures/action/rule-cases.json', import.meta.url)
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[]

describe('rules and dialects beyond the corpus', () => {
  const named = cases.map((one) => [one.rule, one.output, one] as const)
  it.each(named)('%s: %j', (_, output, { expect: wanted }) => {
    const whole = parseAction(output, tools)
    expect(whole.text).toBe(wanted.text)
    expect(canonical(whole.calls)).toBe(canonical(wanted.calls))
    expect(whole.error?.code ?? null).toBe(wanted.error)
    if (wanted.suggest !== undefined) expect(whole.error?.suggestion).toBe(wanted.suggest)
    for (const size of [1, 2, 3, 4, 7, 64]) {
      const outcome = toOutcome(stream(cut(output, size), tools))
      expect(outcome.text).toBe(wanted.text)
      expect(canonical(outcome.calls)).toBe(canonical(wanted.calls))
      expect(outcome.error).toBe(wanted.error)
    }
  })
})
