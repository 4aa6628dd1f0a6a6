import { describe, expect, test } from 'vitest'
import type { Usage } from '../../../src/protocol/message.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { meterUsage } from '../../../src/worker/model/token-counts.ts'
import { reachedLimit, type Spent } from '../../../src/worker/run/counters.ts'
import { createWorld, liveThrough } from './simulation.ts'

const spent = (one: Partial<Spent>): Spent => ({ steps: 0, usage: {}, activeMs: 0, ...one })

describe('a limit is reached', () => {
  test('exactly at its value', () => {
    expect(reachedLimit({ tokens: 10 }, [spent({ usage: { totalTokens: 9 } })])).toBeNull()
    expect(reachedLimit({ tokens: 10 }, [spent({ usage: { totalTokens: 10 } })])).toBe('tokens')
    expect(reachedLimit({}, [spent({ steps: 900, activeMs: 1e12 })])).toBeNull()
  })

  test('by several runs together', () => {
    const runs = [spent({ activeMs: 40_000 }), spent({ activeMs: 30_000 }), spent({})]
    expect(reachedLimit({ minutes: 1 }, runs)).toBe('minutes')
    expect(reachedLimit({ minutes: 1 }, runs.slice(1))).toBeNull()
  })
})

describe('the usage of an attempt', () => {
  const parts = [{ type: 'text', text: 'four words of text' }] as const
  const request = (): ModelRequest => ({
    messages: [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'See' },
          { type: 'file', mediaType: 'image/png', data: 'A'.repeat(100_000) },
        ],
      },
    ],
    tools: [],
    toolMode: 'native',
    textAsWritten: true,
  })
  const of = (usage: Usage, { provider = 'openai', isWhole = true, tokens = 1 } = {}): Usage =>
    meterUsage(
      { toolMode: 'native', usage, parts, answer: isWhole ? { parts } : undefined },
      {
        model: {
          provider,
          model: 'm',
          prices: { input: 10, cachedInput: 1, cacheWrite: 12, output: 100 },
        },
        limits: tokens > 0 ? { tokens } : {},
        request,
      },
    )

  test('includes cached input where the vendor counts it, and adds it elsewhere', () => {
    const usage = {
      inputTokens: 1000,
      outputTokens: 10,
      cachedInputTokens: 600,
      cacheWriteTokens: 100,
    }
    const openai = of(usage)
    expect(openai.totalTokens).toBe(1010)
    expect(openai.costUSD).toBeCloseTo((300 * 10 + 600 + 100 * 12 + 1000) / 1e6, 12)
    const anthropic = of(usage, { provider: 'anthropic' })
    expect(anthropic.totalTokens).toBe(1710)
    expect(anthropic.costUSD).toBeCloseTo((1000 * 10 + 600 + 100 * 12 + 1000) / 1e6, 12)
  })

  test('is estimated without the bytes of files if the provider reports none', () => {
    for (const usage of [{}, { inputTokens: 0, outputTokens: 0 }]) {
      const { inputTokens = 0, outputTokens = 0, estimated } = of(usage)
      expect(estimated).toBe(true)
      expect(outputTokens).toBeGreaterThan(3)
      expect(inputTokens).toBeGreaterThan(1500)
      expect(inputTokens).toBeLessThan(2000)
    }
  })

  test('covers at least the received part of a cut-off answer', () => {
    const cut = of({ inputTokens: 5, outputTokens: 1 }, { isWhole: false })
    expect(cut).toMatchObject({ inputTokens: 5, estimated: true })
    expect(cut.outputTokens).toBeGreaterThan(3)
    expect(of({ inputTokens: 5, outputTokens: 1 }).estimated).toBeUndefined()
  })

  test("is the provider's, with its cost, if no limit applies", () => {
    expect(of({}, { tokens: 0 })).toEqual({})
    const usage = { inputTokens: 1_000_000, outputTokens: 0 }
    expect(of(usage, { tokens: 0 })).toEqual({ ...usage, totalTokens: 1_000_000, costUSD: 10 })
  })
})

test('wherever worker and page die, the run ends at its limit with a last answer', async () => {
  for (let after = 1; after <= 60; after += 1) {
    const turns = Array.from({ length: 2 }, (_none, n) => ({
      text: 'On it.',
      calls: [{ tool: 'read', input: { n } }],
    }))
    const world = createWorld([...turns, { text: 'So far.' }], {
      read: {
        descriptor: { annotations: { readOnly: true } },
        run: () => ({ status: 'succeeded', output: { type: 'text', value: 'ok' } }),
      },
    })
    const limits = { maxSteps: -1, retries: 3, steps: 2, minutes: 60 }
    const who = after % 2 ? 'page' : 'worker'
    const result = await liveThrough(world, [{ after, who }], limits)
    const seen = [after, result.outcome, result.steps, result.text]
    expect(seen).toEqual([after, 'limit', 3, 'So far.'])
    expect(world.requests.at(-1)?.trailer).toContain('limit of steps is reached')
  }
})
