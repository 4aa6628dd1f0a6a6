import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { isTick } from '../../../src/page-tools/outline/mutation-log.ts'

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 0, 1, 12, 5) }))
afterAll(() => void vi.useRealTimers())

it.each([
  ['12:00:01', '12:00:02', 0.3],
  ['Time 23:59:59', 'Time 00:00:00', 1],
  ['0:30', '0:29', 1],
  ['Again in 30 s', 'Again in 29 s', 1],
  ['1m 0s', '59s', 1],
  ['1d 4h 3m 2s left', '1d 4h 3m 1s left', 1],
  ['Noch 30 Sekunden', 'Noch 29 Sekunden', 1],
  ['剩余30秒', '剩余29秒', 1],
  ['12:00:00', '12:01:00', 60],
  ['12:04', '12:05', 10],
])('%s → %s after %d s is a tick', (before, after, elapsed) => {
  expect(isTick(before, after, elapsed)).toBe(true)
})

it.each([
  ['set forward', '12:00:01', '12:00:41', 1],
  ['reset', '0:12', '5:00', 1],
  ['no time', '5 messages', '6 messages', 1],
  ['no time either', '30 songs', '31 songs', 1],
  ['no time of day now', '12:05', '12:06', 10],
  ['it stood still', '0:30', '0:31', 10],
  ['another text', 'Stopped', '12:00:00', 1],
  ['another number beside it', 'Round 1 0:30', 'Round 2 0:29', 1],
])('the change is no tick: %s', (_, before, after, elapsed) => {
  expect(isTick(before, after, elapsed)).toBe(false)
})
