import type { TestDetails } from '@playwright/test'

// `npm test` runs a slice of each large matrix; `npm run test:more` runs all of it.

/** Marks tests that `npm test` skips. */
export const MORE: TestDetails = { tag: '@more' }

/** Tags a row unless it belongs to the slice that `npm test` runs. */
export function inSlice(belongs: boolean): TestDetails {
  return belongs ? {} : MORE
}

/** `npm test` runs each nth row, the first among them. */
export function eachNth(n: number, index: number): TestDetails {
  return inSlice(index % n === 0)
}
