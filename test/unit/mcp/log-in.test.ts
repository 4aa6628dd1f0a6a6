import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { leavePage, logInByWindow, openWindow } from '../../../src/connect/mcp/auth/authorizer.ts'
import { CHANNEL } from '../../../src/connect/mcp/auth/code-flow.ts'

const ADDRESS = 'https://login.example/authorize'
const logIn = (signal: AbortSignal): Promise<string> =>
  logInByWindow(openWindow(ADDRESS), { state: 'right' }, signal)

/** A window as the opener sees it, and whether the page has the focus. */
const seen = { closed: false, opener: 'page' as unknown, focus: true }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  Object.assign(seen, { closed: false, opener: 'page', focus: true })
  vi.stubGlobal('document', { hasFocus: () => seen.focus })
  vi.stubGlobal('open', () => Object.assign(seen, { close: () => undefined }))
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Tracks the outcome so far. */
function outcomeOf(work: Promise<string>): { now: string } {
  const outcome = { now: 'waits' }
  work.then(
    (query) => (outcome.now = query),
    (error: { code: string }) => (outcome.now = error.code),
  )
  return outcome
}

function say(query: string): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage({ query })
  channel.close()
}

it("the log-in window can't reach the page that opened it", () => {
  void logIn(AbortSignal.timeout(1)).catch(() => undefined)
  expect(seen.opener).toBeNull()
})

it('a closed log-in window is noticed when the page regains focus', async () => {
  const outcome = outcomeOf(logIn(new AbortController().signal))
  seen.focus = false
  await vi.advanceTimersByTimeAsync(5000)
  expect(outcome.now).toBe('waits')
  Object.assign(seen, { closed: true, focus: true })
  await vi.advanceTimersByTimeAsync(2000)
  expect(outcome.now).toBe('mcp-auth-failed')
})

it('when a window only looks closed, the log-in continues after the page regains focus', async () => {
  const outcome = outcomeOf(logIn(new AbortController().signal))
  seen.focus = false
  await vi.advanceTimersByTimeAsync(1000)
  seen.closed = true
  await vi.advanceTimersByTimeAsync(5000)
  seen.focus = true
  await vi.advanceTimersByTimeAsync(60_000)
  expect(outcome.now).toBe('waits')
  say('?state=right&code=1')
  await vi.waitFor(() => expect(outcome.now).toBe('?state=right&code=1'))
})

it('a log-in ends at once when it is aborted', async () => {
  const controller = new AbortController()
  const outcome = outcomeOf(logIn(controller.signal))
  seen.closed = true
  controller.abort()
  await vi.advanceTimersByTimeAsync(0)
  expect(outcome.now).toBe('aborted')
})

it('a log-in whose page does not navigate fails after 30 s or an abort', async () => {
  const assign = vi.fn<(address: string) => void>()
  vi.stubGlobal('location', { assign })
  const outcome = outcomeOf(leavePage(ADDRESS, new AbortController().signal))
  expect(assign).toHaveBeenCalledWith(ADDRESS)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(outcome.now).toBe('waits')
  await vi.advanceTimersByTimeAsync(11_000)
  expect(outcome.now).toBe('mcp-auth-failed')

  const controller = new AbortController()
  const aborted = outcomeOf(leavePage(ADDRESS, controller.signal))
  controller.abort()
  await vi.advanceTimersByTimeAsync(0)
  expect(aborted.now).toBe('aborted')
})
