import { MORE } from '../../scripts/lib/more.mjs'

// `npm test` runs a slice of each large matrix and some runs of each long random test; `npm run test:more` runs all.

/** All rows of a matrix, or each nth, the first among them. */
export function eachNth<Row>(n: number, rows: readonly Row[]): readonly Row[] {
  return MORE ? rows : rows.filter((_, at) => at % n === 0)
}

/** Whether a row of a matrix is checked in every way: each nth, the first among them. */
export function isInSlice(n: number, at: number): boolean {
  return MORE || at % n === 0
}

/** How often a random test runs, of `all` times. */
export function someOf(all: number): number {
  return MORE ? all : Math.ceil(all / 10)
}
