import { expect, it, test } from 'vitest'
import { addUsage, countedUsage, sumUsage } from '../../../src/conversation/usage.ts'
import type { Usage } from '../../../src/protocol/message.ts'

const MOST = Number.MAX_SAFE_INTEGER

test.each<[string, unknown, Usage]>([
  [
    'what no sum can hold',
    { inputTokens: 1e308, outputTokens: Infinity },
    { inputTokens: MOST, outputTokens: MOST },
  ],
  ['less than nothing', { inputTokens: -1, outputTokens: 2 }, { outputTokens: 2 }],
  ['no numbers', { inputTokens: NaN, outputTokens: '7', cachedInputTokens: null }, {}],
  ['what is no count', { inputTokens: 1, other: 'x' }, { inputTokens: 1 }],
  ['an estimate', { inputTokens: 1.5, estimated: true }, { inputTokens: 1.5, estimated: true }],
])('a report with %s keeps its valid counts', (_, reported, counts) => {
  expect(countedUsage(reported as Usage)).toEqual(counts)
})

it('usage is summed to a number that JSON keeps, however often', () => {
  const one = countedUsage({ inputTokens: 1e308, totalTokens: 1e308, costUSD: 1e308 })
  const sum = sumUsage(addUsage(addUsage({ modelCalls: 0 }, one), one), { ...one, modelCalls: 1 })
  expect(sum).toEqual({ modelCalls: 3, inputTokens: MOST, totalTokens: MOST, costUSD: MOST })
  expect(JSON.parse(JSON.stringify(sum))).toEqual(sum)
})
