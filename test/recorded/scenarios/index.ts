import type { Scenario } from '../record.ts'
import { actions } from './action.ts'
import { branches } from './branches.ts'
import { busy } from './busy.ts'
import { calls } from './calls.ts'
import { consent } from './consent.ts'
import { crashes } from './crashes.ts'
import { failures } from './failures.ts'
import { stops } from './stops.ts'
import { generated } from './generated.ts'
import { handed } from './handed.ts'
import { longRunning } from './long-running.ts'
import { others } from './others.ts'
import { reloaded } from './reloads.ts'
import { server } from './server.ts'
import { steering } from './steering.ts'
import { storage } from './storage.ts'
import { tabs } from './tabs.ts'
import { texts } from './texts.ts'

export interface ScenarioFamily {
  readonly family: string
  readonly scenarios: readonly Scenario[]
}

/** Each is kept in a file of its own. */
export const families: readonly ScenarioFamily[] = Object.entries({
  texts,
  calls,
  consent,
  failures,
  stops,
  busy,
  crashes,
  reloaded,
  storage,
  handed,
  actions,
  server,
  others,
  tabs,
  branches,
  steering,
  longRunning,
  generated,
}).map(([family, scenarios]) => ({ family, scenarios }))
