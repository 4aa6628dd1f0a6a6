import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '../../../scripts/lib/project.mjs'
import {
  failuresToRetry,
  judge,
  MAX_FORGIVEN,
  MAX_RETRIED,
  NEVER_FORGIVEN,
  promiseOf,
} from '../../../scripts/lib/second-try.mjs'

interface Failure {
  readonly id?: string
  readonly file?: string
  readonly name: string
  readonly message?: string
}

const outside: Failure = { name: 'outside of any test', message: 'boom' }

function failed(file: string, count = 1): Failure[] {
  return Array.from({ length: count }, (_, at) => {
    const id = `${file} › test ${at}`
    return { id, file, name: id, message: 'expected' }
  })
}

function idsOf(failures: readonly Failure[]): Set<string> {
  return new Set(failures.flatMap(({ id }) => id ?? []))
}

test('a failure that passes alone is forgiven, one that fails again is not', () => {
  const [busy, broken] = failed('test/browser/chat.spec.ts', 2) as [Failure, Failure]
  expect(judge([busy, broken], idsOf([busy]), 7)).toEqual({ forgiven: [busy], failed: [broken] })
})

test('when too many failures pass alone, none is forgiven', () => {
  const most = failed('test/browser/chat.spec.ts', MAX_FORGIVEN)
  expect(judge(most, idsOf(most), 7)).toEqual({ forgiven: most, failed: [] })
  const more = failed('test/browser/chat.spec.ts', MAX_FORGIVEN + 1)
  const judged = judge(more, idsOf(more), 7)
  expect(judged.forgiven).toEqual([])
  expect(judged.failed.map(({ name }) => name)).toEqual(more.map(({ name }) => name))
  expect(judged.failed[0]?.message).toContain('more than 3 tests')
})

test.each([
  ['durability', 'test/unit/worker/crash.test.ts'],
  ['durability', 'test/unit/conversation/fold.test.ts'],
  ['durability', 'test/browser/torture-cells.spec.ts'],
  ['tabs', 'test/browser/tabs.spec.ts'],
  ['approval', 'test/browser/consent-touch.spec.ts'],
  ['approval', 'test/browser/consent.spec.ts'],
  ['streams', 'test/unit/providers/transport.test.ts'],
  ['streams', 'test/browser/transport-page.spec.ts'],
])('a %s test that passes alone still fails, and reports the seed: %s', (promise, file) => {
  const failures = failed(file)
  const { forgiven, failed: stays } = judge(failures, idsOf(failures), 7)
  expect(forgiven).toEqual([])
  expect(stays).toHaveLength(1)
  expect(stays[0]?.message).toMatch(new RegExp(`${promise} .*OFFSTAGE_SEED=7\nexpected$`))
})

test('a never-forgiven test does not use up the forgiveness of others', () => {
  const chat = failed('test/browser/chat.spec.ts', MAX_FORGIVEN)
  const tabs = failed('test/browser/tabs.spec.ts')
  const { forgiven } = judge([...chat, ...tabs], idsOf([...chat, ...tabs]), 7)
  expect(forgiven).toEqual(chat)
})

test('an error outside of tests is not retried and stays failed', () => {
  const chat = failed('test/browser/chat.spec.ts')
  expect(failuresToRetry([outside, ...chat])).toEqual(chat)
  expect(judge([outside, ...chat], idsOf(chat), 7).failed).toEqual([outside])
})

test('when too many tests fail, none is retried', () => {
  const file = 'test/browser/chat.spec.ts'
  expect(failuresToRetry(failed(file, MAX_RETRIED))).toHaveLength(MAX_RETRIED)
  expect(failuresToRetry(failed(file, MAX_RETRIED + 1))).toEqual([])
})

test('every never-forgiven pattern matches a test file', () => {
  const files = readdirSync(root + '/test', { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.(?:test|spec)\.ts$/.test(file))
  for (const { files: patterns } of NEVER_FORGIVEN)
    for (const pattern of patterns) {
      // Each name of a pattern, as it would be without the others.
      const [, before = '', names = '', after = ''] =
        /^(.*?)\((?!-)([^()]*)\)(.*)$/.exec(pattern.source) ?? []
      const single = names
        ? names.split('|').map((name) => before + name + after)
        : [pattern.source]
      for (const source of single)
        expect(
          files.filter((file) => new RegExp(source).test(file)),
          source,
        ).not.toEqual([])
    }
  expect(promiseOf('test/browser/chat.spec.ts')).toBeUndefined()
})
