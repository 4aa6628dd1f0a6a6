import type { Execution } from './execution.ts'
import { forgetPageWide, pageWide } from '../lib/page-wide.ts'
import { randomId } from '../lib/random-id.ts'

/**
 * What must be known of a page for as long as it lives, beyond any agent, any worker, a hot reload of
 * this module and a second copy of the package: what began to run here, and what must never begin.
 */
export interface PageRegistry {
  /** Names this page load. */
  readonly pageId: string
  /** Whatever was asked for here, by `executionId`. Null: its outcome was acknowledged. */
  readonly executions: Map<string, Execution | null>
  /** Executions that were asked about or cancelled before they came; they never start. */
  readonly refused: Set<string>
  /** Newest epoch seen, by store and conversation. */
  readonly epochs: Map<string, number>
  /** Conversations whose runs were begun or resumed here; '' for the newest one, whichever it was. */
  readonly touched: Set<string>
  /** Starts workers at trusted addresses; absent where that isn't needed or was never tried. */
  startWorker?: StartTrusted | undefined
}

/** Makes the worker that a function asks for, at an address that Trusted Types accept. */
export type StartTrusted = (make: () => Worker) => Worker

export function pageRegistry(): PageRegistry {
  return pageWide('page', () => ({
    pageId: randomId(),
    executions: new Map(),
    refused: new Set(),
    epochs: new Map(),
    touched: new Set(),
  }))
}

/**
 * From here on everything is as on a page that has just been loaded: what a disposed agent left running
 * is found as after a reload, where it would else be joined.
 */
export function forgetPage(): void {
  forgetPageWide('page')
}
