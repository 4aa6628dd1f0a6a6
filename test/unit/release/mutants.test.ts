import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { mutantsOf, withSwitches } from '../../../scripts/lib/mutation/mutants.mjs'
import { instrument, planMutants, scoreOf, shuffle } from '../../../scripts/lib/mutation/plan.mjs'
import { reachedBy, testsFor } from '../../../scripts/lib/mutation/reach.mjs'
import { inProject } from '../../../scripts/lib/project.mjs'

// `npm run mutate` is run in full by a workflow; here, its parts.

const SOURCE = `
  const log = []
  function grade(points, isLate) {
    if (isLate && points < 90) return 'late'
    log.push(points)
    if (points >= 50 || isLate) return true
    else log.push(0)
    return [points - (1 - 2), log.length]
  }
`

/** Calls the function with one mutant switched on, and notes which ones are reached. */
function gradeWith(active: number, points: number, isLate: boolean) {
  const reached = new Set<number>()
  const mutation = (number: number): boolean => {
    reached.add(number)
    return number === active
  }
  const code = `${withSwitches(SOURCE, mutantsOf(SOURCE))}; JSON.stringify([grade(points, isLate), log])`
  const result: unknown = runInNewContext(code, { mutation, points, isLate })
  return { result, reached }
}

const numberOf = (kind: string, text: string): number =>
  mutantsOf(SOURCE).findIndex(
    (one) => one.kind === kind && SOURCE.slice(one.start, one.end).startsWith(text),
  )

test('with every mutant switched off, the code behaves the same', () => {
  expect(gradeWith(-1, 80, true).result).toBe('["late",[]]')
  expect(gradeWith(-1, 80, false).result).toBe('[true,[80]]')
  expect(gradeWith(-1, 10, false).result).toBe('[[11,2],[10,0]]')
})

test.each([
  ['negate', 'isLate && points', 80, true, '[true,[80]]'],
  ['operator', 'isLate && points', 80, false, '["late",[]]'],
  ['operator', 'points < 90', 90, true, '["late",[]]'],
  ['return', "return 'late'", 80, true, '[true,[80]]'],
  ['drop', 'log.push(points)', 80, false, '[true,[]]'],
  ['drop', 'log.push(0)', 10, false, '[[11,1],[10]]'],
  ['operator', 'points >= 50', 50, false, '[[51,2],[50,0]]'],
  ['boolean', 'true', 80, false, '[false,[80]]'],
  ['operator', 'points - (1 - 2)', 10, false, '[[9,2],[10,0]]'],
  ['operator', '1 - 2', 10, false, '[[7,2],[10,0]]'],
  ['constant', '[points', 10, false, '[null,[10,0]]'],
])('the mutant "%s" of "%s" changes only its own place', (kind, text, points, isLate, result) => {
  const { result: found, reached } = gradeWith(numberOf(kind, text), points, isLate)
  expect(found).toBe(result)
  expect(reached).toContain(numberOf(kind, text))
})

test('a compile-time check is not a mutant', () => {
  expect(mutantsOf('function f(x) { x satisfies never; return x satisfies never }')).toEqual([])
})

test('code that does not run is not reached', () => {
  expect(gradeWith(-1, 80, true).reached).not.toContain(numberOf('constant', '[points'))
})

test('every target is instrumented, and every mutant has a unique id and number', () => {
  const mutants = planMutants()
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length)
  expect(mutants.map(({ number }) => number)).toEqual(mutants.map((_, index) => index))
  const sources = instrument(mutants)
  for (const { file, number } of mutants)
    expect(sources.get(inProject(file))).toContain(`mutation(${number})`)
})

test('the same seed draws the same sample, and smaller samples are its beginning', () => {
  const mutants = planMutants()
  const ids = (seed: string): string[] => shuffle(mutants, seed).map(({ id }: { id: string }) => id)
  expect(ids('1')).toEqual(ids('1'))
  expect(ids('1')).not.toEqual(ids('2'))
  expect(ids('1').toSorted()).toEqual(mutants.map(({ id }) => id).toSorted())
})

const bits = (...numbers: number[]): string =>
  Buffer.from([numbers.reduce((byte, number) => byte | (1 << number), 0)]).toString('base64')

test("tests about the mutant's module run before other tests that reach it", () => {
  const mutants = ['a.ts', 'a.ts', 'b.ts', 'b.ts'].map((file) => ({ file }))
  const test = (file: string, ms: number, reached: string, reachedBefore = '') => ({
    id: file,
    file,
    project: 'shared',
    name: file,
    ms,
    reached,
    reachedBefore,
  })
  const reach = reachedBy(
    [
      test('all', 5, bits(0, 1, 2, 3)),
      test('about a', 90, bits(0, 1)),
      test('about b', 5, bits(2)),
      test('slow', 5000, bits(1)),
      test('at import', 5, bits(2), bits(3)),
    ],
    mutants,
  )
  const names = (number: number, share: number): string[] =>
    testsFor(reach, number, share).tests.map(({ name }: { name: string }) => name)
  expect(names(0, 1)).toEqual(['about a', 'all'])
  // All tests take 5105 ms together.
  expect(names(1, 0.01)).toEqual(['about a'])
  expect(testsFor(reach, 1, 0.01).reaching).toBe(3)
  expect(names(1, 1)).toEqual(['about a', 'slow', 'all'])
  // An import counts for every test of its module.
  expect(names(3, 1)).toEqual(['about b', 'at import', 'all'])
})

test('the score compares survivors with mutants that a test or time limit noticed', () => {
  const results = ['killed', 'timed out', 'survived'].map((outcome) => ({ outcome }))
  expect(scoreOf(results)).toEqual({ tried: 3, killed: 2, timedOut: 1, percent: 66.7 })
  expect(scoreOf([])).toMatchObject({ tried: 0, percent: 0 })
})
