import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { problemsOf } from '../../../scripts/lib/long-run/tally.mjs'
import { playUnits } from '../../torture/play-units.ts'
import type { Conclusion, KeptOutcome } from '../../torture/results.ts'

// The rules of `npm run torture` with trials that need no browser.

const UNITS = [0, 1, 2].map((number) => ({ number }))
const HELD: KeptOutcome = { row: 'asked', column: 'reload', kind: 'write', violations: [] }
const PLANTED: KeptOutcome = {
  ...HELD,
  violations: [{ what: 'ran twice', detail: 'planted' }],
}

let folder = ''
let played: number[] = []

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'offstage-torture-test-'))
  played = []
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

interface Run {
  readonly units?: readonly { readonly number: number }[]
  readonly only?: readonly number[]
  readonly build?: string
  readonly trial?: (unit: number) => KeptOutcome
}

function torture({
  units = UNITS,
  only,
  build = 'a',
  trial = () => HELD,
}: Run): Promise<Conclusion> {
  return playUnits({
    name: 'cells-1',
    units,
    only,
    build,
    folder,
    titleOf: ({ number }) => `unit ${number}`,
    play: async ({ number }) => {
      played.push(number)
      return [trial(number), HELD]
    },
  })
}

/** A trial that ends the run, as a signal would. */
const broken = (unit: number): KeptOutcome => {
  if (unit === 1) throw new Error('ended')
  return HELD
}

test('a planted violation is counted and named', async () => {
  const { tally, table } = await torture({ trial: (unit) => (unit === 1 ? PLANTED : HELD) })
  expect(tally).toEqual({ played: 6, kept: 0, violated: 1 })
  expect(table).toContain('unit 1: asked × reload × write: ran twice: planted')
  expect(problemsOf(tally)).toEqual(['1 with a violation.'])
})

test('a violation in a selected unit counts, even after a clean whole run', async () => {
  await torture({})
  const { tally } = await torture({ only: [1], trial: () => PLANTED })
  expect(tally).toEqual({ played: 2, kept: 0, violated: 1 })
})

test('without units, nothing was played', async () => {
  const { tally } = await torture({ units: [] })
  expect(problemsOf(tally)).toEqual(['Nothing was played.'])
})

test('an interrupted run continues, and its violations still count', async () => {
  const trial = (unit: number): KeptOutcome => (unit === 0 ? PLANTED : broken(unit))
  await expect(torture({ trial })).rejects.toThrow('ended')
  const { tally } = await torture({})
  expect(played).toEqual([0, 1, 1, 2])
  expect(tally).toEqual({ played: 4, kept: 2, violated: 1 })
})

test('after a change of the build, every unit is played again', async () => {
  await expect(torture({ trial: broken })).rejects.toThrow('ended')
  const { tally } = await torture({ build: 'b', trial: () => PLANTED })
  expect(tally).toEqual({ played: 6, kept: 0, violated: 3 })
})

test('a finished run is played again', async () => {
  await torture({})
  const { tally } = await torture({ trial: () => PLANTED })
  expect(tally).toEqual({ played: 6, kept: 0, violated: 3 })
})

test('kept units that this run did not plan are ignored', async () => {
  await expect(torture({ trial: broken })).rejects.toThrow('ended')
  const { tally } = await torture({ units: UNITS.slice(1) })
  expect(tally).toEqual({ played: 4, kept: 0, violated: 0 })
})
