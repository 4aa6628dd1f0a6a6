import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startWatchdog } from '../../../src/providers/core/watchdog.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('tells of silence once the limit is over', () => {
  const onSilence = vi.fn()
  startWatchdog(60_000, onSilence)
  vi.advanceTimersByTime(59_999)
  expect(onSilence).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(onSilence).toHaveBeenCalledExactlyOnceWith(60_000)
  vi.advanceTimersByTime(200_000)
  expect(onSilence).toHaveBeenCalledOnce()
})

test('every sign starts the wait anew', () => {
  const onSilence = vi.fn()
  const watchdog = startWatchdog(10_000, onSilence)
  for (let at = 0; at < 10; at++) {
    vi.advanceTimersByTime(9_000)
    watchdog.sign()
  }
  expect(onSilence).not.toHaveBeenCalled()
  vi.advanceTimersByTime(10_000)
  expect(onSilence).toHaveBeenCalledOnce()
})

test('time in which the tab was frozen does not count', () => {
  const onSilence = vi.fn()
  startWatchdog(60_000, onSilence)
  vi.advanceTimersByTime(10_000)
  // Frozen: the clock goes on, no timer fires. Then the thaw.
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 600_000)
  vi.advanceTimersByTime(5_000)
  expect(onSilence).not.toHaveBeenCalled()
  vi.advanceTimersByTime(60_000)
  expect(onSilence).toHaveBeenCalledOnce()
})

test.each([+86_400_000, -86_400_000])(
  'a wall clock that jumps by %i ms changes nothing',
  (jump) => {
    const onSilence = vi.fn()
    startWatchdog(60_000, onSilence)
    vi.advanceTimersByTime(10_000)
    vi.setSystemTime(Date.now() + jump)
    vi.advanceTimersByTime(49_999)
    expect(onSilence).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(onSilence).toHaveBeenCalledOnce()
  },
)

test('nothing counts while nobody reads', () => {
  const onSilence = vi.fn()
  const watchdog = startWatchdog(10_000, onSilence)
  watchdog.rest()
  vi.advanceTimersByTime(100_000)
  expect(onSilence).not.toHaveBeenCalled()
  watchdog.sign()
  vi.advanceTimersByTime(10_000)
  expect(onSilence).toHaveBeenCalledOnce()
})

test('no limit, no timer; stopped is stopped', () => {
  const onSilence = vi.fn()
  startWatchdog(0, onSilence)
  startWatchdog(Infinity, onSilence)
  startWatchdog(1_000, onSilence).stop()
  expect(vi.getTimerCount()).toBe(0)
})
