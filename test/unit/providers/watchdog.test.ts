import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startWatchdog } from '../../../src/providers/core/watchdog.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('calls back once the limit is over', () => {
  const onTimeout = vi.fn()
  startWatchdog(60_000, onTimeout)
  vi.advanceTimersByTime(59_999)
  expect(onTimeout).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(onTimeout).toHaveBeenCalledExactlyOnceWith(60_000)
  vi.advanceTimersByTime(200_000)
  expect(onTimeout).toHaveBeenCalledOnce()
})

test('every reset restarts the wait', () => {
  const onTimeout = vi.fn()
  const watchdog = startWatchdog(10_000, onTimeout)
  for (let at = 0; at < 10; at++) {
    vi.advanceTimersByTime(9_000)
    watchdog.reset()
  }
  expect(onTimeout).not.toHaveBeenCalled()
  vi.advanceTimersByTime(10_000)
  expect(onTimeout).toHaveBeenCalledOnce()
})

test('F21 time in which the tab was frozen does not count', () => {
  const onTimeout = vi.fn()
  startWatchdog(60_000, onTimeout)
  vi.advanceTimersByTime(10_000)
  // Frozen: the clock goes on, no timer fires. Then the thaw.
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 600_000)
  vi.advanceTimersByTime(5_000)
  expect(onTimeout).not.toHaveBeenCalled()
  vi.advanceTimersByTime(60_000)
  expect(onTimeout).toHaveBeenCalledOnce()
})

test.each([+86_400_000, -86_400_000])(
  'a wall clock that jumps by %i ms changes nothing',
  (jump) => {
    const onTimeout = vi.fn()
    startWatchdog(60_000, onTimeout)
    vi.advanceTimersByTime(10_000)
    vi.setSystemTime(Date.now() + jump)
    vi.advanceTimersByTime(49_999)
    expect(onTimeout).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(onTimeout).toHaveBeenCalledOnce()
  },
)

test('time while nobody reads does not count', () => {
  const onTimeout = vi.fn()
  const watchdog = startWatchdog(10_000, onTimeout)
  watchdog.pause()
  vi.advanceTimersByTime(100_000)
  expect(onTimeout).not.toHaveBeenCalled()
  watchdog.reset()
  vi.advanceTimersByTime(10_000)
  expect(onTimeout).toHaveBeenCalledOnce()
})

test('no limit and a stopped watchdog leave no timer', () => {
  const onTimeout = vi.fn()
  startWatchdog(0, onTimeout)
  startWatchdog(Infinity, onTimeout)
  startWatchdog(1_000, onTimeout).stop()
  expect(vi.getTimerCount()).toBe(0)
})
