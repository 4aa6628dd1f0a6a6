import { afterEach, expect, test, vi } from 'vitest'
import { loadPart } from '../../../src/client/api/load-part.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const failed = { code: 'worker-load-failed', retryable: true, details: { reason: 'import' } }

test('a part that exists is returned', async () => {
  expect(await loadPart(async () => ({ a: 1 }))).toEqual({ a: 1 })
})

test.each<[string, () => Promise<object>]>([
  ['rejects', () => Promise.reject(new TypeError('refused'))],
  // webpack's loader throws like this if Trusted Types refuse its address.
  [
    'throws at once',
    () => {
      throw new TypeError('refused')
    },
  ],
])('a loader that %s is a typed error, and the cause is kept', async (_, load) => {
  const error: unknown = await loadPart(load).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject(failed)
  expect(error).toMatchObject({ cause: { message: 'refused' } })
})

test.each([
  [new TypeError('Failed to fetch dynamically imported module: /a.js'), false],
  [new TypeError('error loading dynamically imported module: /a.js'), false],
  [new TypeError('Importing a module script failed.'), false],
  [new Error('x is not set'), true],
  [new TypeError("Cannot read properties of null (reading 'x')"), true],
])('for %s, the error says whether a script may have thrown', async (thrown, mayHave) => {
  const error: unknown = await loadPart(() => Promise.reject(thrown)).catch((one: unknown) => one)
  expect(String(error).includes("script of the page's own")).toBe(mayHave)
})

test('a silent loader is given up after a minute', async () => {
  vi.useFakeTimers()
  const loading = loadPart(() => new Promise<object>(() => {}))
  const outcome = expect(loading).rejects.toMatchObject(failed)
  await vi.advanceTimersByTimeAsync(60_000)
  await outcome
})

test('offline, the error says so', async () => {
  vi.stubGlobal('navigator', { onLine: false })
  await expect(loadPart(() => Promise.reject(new Error('gone')))).rejects.toMatchObject({
    details: { reason: 'offline' },
  })
})
