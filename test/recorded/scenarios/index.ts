import type { Scenario } from '../record.ts'
import { calls } from './calls.ts'
import { consent } from './consent.ts'
import { texts } from './texts.ts'

export interface ScenarioFamily {
  readonly family: string
  readonly scenarios: readonly Scenario[]
}

/** Each is kept in a file of its own. */
export const families: readonly ScenarioFamily[] = Object.entries({ texts, calls, consent }).map(
  ([family, scenarios]) => ({ family, scenarios }),
)
