import { describe, expect, test } from 'vitest'
import { createAgent } from '../../../src/index.ts'
import { PRICED_VENDORS } from '../../../src/protocol/model.ts'
import { listPrice, listPrices, getPrices } from '../../../src/providers/catalogue/model-facts.ts'
import { meterUsage } from '../../../src/worker/model/token-counts.ts'
import { applyLimits } from '../../../src/worker/run/counters.ts'

const rows = PRICED_VENDORS.flatMap((vendor) => listPrices[vendor])

describe('the list of prices', () => {
  test('gives the source and date of each row', () => {
    for (const [, , source, asOf] of rows) {
      expect(source).toMatch(/^[a-z.]+\.[a-z]+\/\S+$/)
      expect(asOf).toMatch(/^20\d\d-\d\d-\d\d$/)
      expect(Number.isNaN(Date.parse(asOf))).toBe(false)
    }
  })

  test('has cache reads below new input, cache writes above it, and output highest', () => {
    for (const [models, [input, output, cachedInput = 0, cacheWrite = input]] of rows) {
      expect(cachedInput < input && cacheWrite >= input && output > cacheWrite, `${models}`).toBe(
        true,
      )
    }
  })

  test.each([
    ['openai', 'gpt-4o', 2.5],
    ['openai', 'gpt-4o-2024-08-06', 2.5],
    ['openai', 'gpt-4o-mini', 0.15],
    ['openai', 'gpt-4.1-nano-2025-04-14', 0.1],
    ['anthropic', 'claude-sonnet-4-5-20250929', 3],
    ['anthropic', 'claude-sonnet-5-5', 2],
    ['anthropic', 'claude-opus-4-1', 15],
    ['anthropic', 'claude-opus-4-20250514', 15],
    ['anthropic', 'claude-opus-4-6', 5],
    ['gemini', 'models/gemini-3.5-flash', 1.5],
    ['minimax', undefined, 0.3],
  ])('knows the prices of %s for %s', (provider, model, input) => {
    expect(listPrice({ provider, ...(model && { model }) })?.prices.input).toBe(input)
  })

  test.each([
    ['openai', 'gpt-4o-audio-preview'],
    ['openai', 'gpt-5-pro'],
    ['openai', 'ft:gpt-4o-mini:me::1'],
    ['anthropic', 'claude-opus-5-5'],
    ['gemini', 'gemini-2.5-pro'],
    // Others ask other prices for the same models.
    ['openai-compatible', 'gpt-4o'],
    ['ollama', 'gpt-4o'],
    ['constructor', 'gpt-4o'],
  ])('does not know the prices of %s for %s', (provider, model) => {
    expect(listPrice({ provider, model })).toBeUndefined()
  })

  test('is overridden by prices from the app', () => {
    const prices = { input: 1, output: 2 }
    expect(getPrices({ provider: 'openai', model: 'gpt-4o', prices })).toBe(prices)
  })
})

test('usage has a cost from the list, with caches included', () => {
  const usage = { inputTokens: 1_000_000, cachedInputTokens: 1_000_000, outputTokens: 1_000_000 }
  const of = (model: string) =>
    meterUsage(
      { toolMode: 'native', usage, parts: [] },
      {
        model: { provider: 'anthropic', model },
        limits: {},
        request: () => ({ messages: [], tools: [] }),
      },
    )
  expect(of('claude-haiku-4-5').costUSD).toBeCloseTo(1 + 0.1 + 5, 9)
  expect(of('claude-next')).toEqual(usage)
})

describe('a cost limit', () => {
  const limits = { maxSteps: 1, retries: 0, costUSD: 1 }
  const spent = { limits, limit: null, steps: 0, usage: {}, activeMs: 0 }
  const step = (model: string) => ({
    model: { provider: 'openai', model },
    configId: 0,
    hasEngine: false,
    instructions: '',
    tools: [],
    hasBeforeToolCall: false,
    raw: false,
  })

  test('is accepted with a listed model', () => {
    expect(applyLimits(step('gpt-4o'), spent)).toEqual(step('gpt-4o'))
  })

  test('fails with an unlisted model and names it', () => {
    expect(() => applyLimits(step('gpt-99'), spent)).toThrow(
      expect.objectContaining({
        code: 'invalid-config',
        message: expect.stringContaining('the prices of gpt-99'),
      }),
    )
  })

  test('is rejected at once when no listed price can apply', () => {
    const model = { provider: 'ollama', model: 'qwen3:4b' } as const
    expect(() => createAgent({ model, limits: { costUSD: 1 } })).toThrow(
      expect.objectContaining({
        code: 'invalid-config',
        message: expect.stringContaining('the prices of qwen3:4b'),
      }),
    )
  })
})
