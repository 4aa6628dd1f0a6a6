import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { planDay, type DayAct } from '../../soak/day-plan.ts'
import { leaks, LIMITS_OF_DAY, LIMITS_OF_RUNS } from '../../soak/flat.ts'
import type { Sample } from '../../soak/probe.ts'
import { deploy, redeploy } from '../../soak/redeploy.ts'

// Tests the plan and the measurements of `npm run soak`, without a browser.

const DAY = planDay(1, 8)
const REDEPLOY = DAY.findIndex(({ act }) => act === 'redeploy')

const countOf = (acts: readonly DayAct[], act: DayAct['act']): number =>
  acts.filter((one) => one.act === act).length

test('a day has runs in every hour, and the same seed repeats it', () => {
  expect(countOf(DAY, 'run')).toBe(192)
  expect(countOf(DAY, 'sample')).toBe(24)
  expect(countOf(DAY, 'redeploy')).toBe(1)
  expect(countOf(DAY, 'sleep')).toBe(1)
  expect(countOf(DAY.slice(0, REDEPLOY), 'second tab')).toBe(1)
  expect(countOf(DAY.slice(REDEPLOY), 'second tab')).toBe(1)
  expect(planDay(1, 8)).toEqual(DAY)
})

test('the time never runs backwards, and the day ends after eight hours', () => {
  const minutes = DAY.flatMap((one) => (one.act === 'idle' ? one.untilMinute : []))
  expect(minutes).toEqual(minutes.toSorted((a, b) => a - b))
  expect(minutes.at(-1)).toBe(480)
})

test('the redeployment is in the middle, and workers die after it, before growth is measured', () => {
  const kinds = DAY.flatMap((one) => (one.act === 'run' ? one.run.kind : []))
  const before = DAY.slice(0, REDEPLOY).filter(({ act }) => act === 'run').length
  expect(before).toBe(kinds.length / 2)
  const deaths = kinds.flatMap((kind, index) => (kind.startsWith('worker dies') ? index : []))
  expect(deaths.length).toBeGreaterThan(0)
  expect(Math.min(...deaths)).toBeGreaterThanOrEqual(before)
  expect(Math.max(...deaths)).toBeLessThan(kinds.length * LIMITS_OF_DAY.from)
})

const REST: Sample = {
  runs: 0,
  minutes: 0,
  pageHeap: 3_000_000,
  workerHeap: 4_000_000,
  pageListeners: 33,
  pagePorts: 4,
  workerPorts: 2,
  pageChannels: 0,
  workerChannels: 1,
  pageSignals: 5,
  workerSignals: 0,
  pageTimers: 0,
  workerTimers: 0,
  locks: 0,
  transactions: 0,
  workers: 1,
}
const samplesWith = (change: (at: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 24 }, (_, at) => ({
    ...REST,
    runs: 8 * (at + 1),
    minutes: 20 * (at + 1),
    ...change(at),
  }))

test('a page with constant figures has no leaks', () => {
  expect(
    leaks(
      samplesWith(() => ({})),
      LIMITS_OF_DAY,
    ),
  ).toEqual([])
  expect(
    leaks(
      samplesWith(() => ({})),
      LIMITS_OF_RUNS,
    ),
  ).toEqual([])
})

test.each([
  ['a timer is left', () => ({ pageTimers: 1 }), 'pageTimers 1'],
  ['a lock is left', () => ({ locks: 1 }), 'locks 1'],
  ['there are two workers', () => ({ workers: 2 }), '2 workers'],
  ['memory grows', (at: number) => ({ pageHeap: at * 60_000 }), 'pageHeap grows by 180000'],
  ['a channel stays open each hour', (at: number) => ({ workerChannels: at }), 'workerChannels'],
  ['listeners stay', (at: number) => ({ pageListeners: at * 3 }), 'pageListeners grows by 9'],
])('when %s, it is reported as a leak', (_what, change, said) => {
  expect(leaks(samplesWith(change), LIMITS_OF_DAY).join()).toContain(said)
})

test('growth that stops early is not a leak', () => {
  const warm = samplesWith((at) => ({ workerHeap: Math.min(at, 12) * 300_000 }))
  expect(leaks(warm, LIMITS_OF_DAY)).toEqual([])
})

let folder = ''
beforeEach(() => (folder = mkdtempSync(path.join(os.tmpdir(), 'offstage-redeploy-test-'))))
afterEach(() => rmSync(folder, { recursive: true }))

test('a redeployment removes every part, and the new build names the new ones', async () => {
  const [built, served] = ['built', 'served'].map((name) => path.join(folder, name))
  mkdirSync(built ?? '')
  const files = {
    'index.js': "import './shared-AbCd_123.js'; import('./late-part-12345678.js')",
    'shared-AbCd_123.js': "export const part = () => import('./late-part-12345678.js')",
    'late-part-12345678.js': 'export {}',
    'readme.txt': 'late-part-12345678.js',
  }
  for (const [name, text] of Object.entries(files))
    writeFileSync(path.join(built ?? '', name), text)
  await deploy(built ?? '', served ?? '')
  const { gone } = await redeploy(served ?? '')
  expect(gone.toSorted()).toEqual(['late-part-12345678.js', 'shared-AbCd_123.js'])
  const names = readdirSync(served ?? '').toSorted()
  expect(names).toEqual(['index.js', 'late-part-56781234.js', 'shared-_123AbCd.js'])
  expect(readFileSync(path.join(served ?? '', 'index.js'), 'utf8')).toBe(
    "import './shared-_123AbCd.js'; import('./late-part-56781234.js')",
  )
})
