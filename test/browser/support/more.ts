import type { TestDetails } from '@playwright/test'

// `npm test` runs a slice of each large matrix; `npm run test:more` runs all of it.

/** Of tests that `npm test` leaves out. */
export const MORE: TestDetails = { tag: '@more' }

/** `npm test` runs the rows that belong to the slice. */
export function inSlice(belongs: boolean): TestDetails {
  return belongs ? {} : MORE
}

/** `npm test` runs each nth row, the first among them. */
export function eachNth(n: number, index: number): TestDetails {
  return inSlice(index % n === 0)
}
