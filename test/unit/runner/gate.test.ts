import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runGate } from '../../../scripts/lib/gate.mjs'
import { run } from '../../../scripts/lib/run.mjs'

const ok = { code: 0 }

beforeEach(() => {
  vi.spyOn(console, 'log').mockReturnValue()
  vi.spyOn(console, 'error').mockReturnValue()
})
afterEach(() => {
  vi.restoreAllMocks()
})

test('checks of one lane run in order, in parallel with other lanes', async () => {
  const events: string[] = []
  const check = (name: string) => async () => {
    events.push(`${name} starts`)
    await Promise.resolve()
    events.push(`${name} ends`)
    return ok
  }
  await runGate([
    { name: 'a', lane: 'one', check: check('a') },
    { name: 'b', lane: 'one', check: check('b') },
    { name: 'c', lane: 'two', check: check('c') },
  ])
  expect(events.indexOf('a ends')).toBeLessThan(events.indexOf('b starts'))
  expect(events.indexOf('c starts')).toBeLessThan(events.indexOf('a ends'))
})

test('a check waits for its dependency, and is skipped when that fails', async () => {
  let end: (result: { code: number }) => void = () => undefined
  const build = new Promise<{ code: number }>((resolve) => (end = resolve))
  const size = vi.fn(async () => ok)
  const links = vi.fn(async () => ok)
  const rows = runGate([
    { name: 'build', lane: 'tests', check: () => build },
    { name: 'links', lane: 'checks', check: links },
    { name: 'size', lane: 'checks', needs: 'build', check: size },
  ])
  await vi.waitFor(() => expect(links).toHaveBeenCalled())
  end({ code: 1 })
  expect((await rows).map(({ name, ok: passed }) => [name, passed])).toEqual([
    ['build', false],
    ['links', true],
    ['size', false],
  ])
  expect(size).not.toHaveBeenCalled()
})

test('a check that throws or crashes is reported as a failure with its name', async () => {
  const failure = { name: 'a test', message: 'expected' }
  const rows = await runGate([
    { name: 'throws', check: () => Promise.reject(new Error('broken')) },
    { name: 'crashes', check: async () => ({ code: 139, passed: 2, failures: [] }) },
    { name: 'fails', check: async () => ({ code: 1, passed: 5, failures: [failure] }) },
  ])
  expect(rows.map(({ failures }) => failures.map(({ name }) => name))).toEqual([
    ['throws'],
    ['crashes'],
    ['a test'],
  ])
})

test('a row has the CPU time of its own programs only', async () => {
  const busy = (ms: number) => async () =>
    run(process.execPath, [
      '-e',
      `const end = process.cpuUsage().user + ${ms * 1000}; while (process.cpuUsage().user < end);`,
    ])
  const rows = await runGate([
    { name: 'works', lane: 'one', check: busy(600) },
    { name: 'rests', lane: 'two', check: busy(0) },
  ])
  const [works, rests] = rows.map(({ cpuSeconds }) => cpuSeconds)
  if (process.platform !== 'linux') return expect([works, rests]).toEqual([undefined, undefined])
  expect(works).toBeGreaterThanOrEqual(0.6)
  expect(rests).toBeLessThan(0.6)
})
