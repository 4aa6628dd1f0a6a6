import { test } from '@playwright/test'
import { TALLY, type Tally } from '../../../scripts/lib/long-run/tally.mjs'

/** Reports what a long run has done to the tool that started it. Several reports add up. */
export function reportTally(tally: Tally): void {
  test.info().annotations.push({ type: TALLY, description: JSON.stringify(tally) })
}
