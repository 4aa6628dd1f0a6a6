import { expect, test } from 'vitest'
import { isCallLooping, isStepLooping } from '../../../src/conversation/crash-loop.ts'

const HOUR = 3_600_000

test.each([
  ['seconds later', 5000, true],
  ['a minute later', 60_000, false],
  ['with a clock that was set forward', 5000 + HOUR, false],
  ['with a clock that was set back', 5000 - HOUR, false],
  ['with a clock that was set right by a second', -1000, true],
])('F21 a third resumption is a crash loop only soon after the second: %s', (_when, ms, is) => {
  const at = Date.UTC(2026, 0, 1)
  expect(isStepLooping({ stepResumes: 2, stepStartedAt: at }, at + ms)).toBe(is)
  expect(isCallLooping({ starts: 3, startedAt: at }, at + ms)).toBe(is)
})
