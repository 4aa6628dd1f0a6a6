import type { Execution } from '../execution/execution.ts'
import { deletePageSingleton, getPageSingleton } from '../../lib/page-singleton.ts'
import { randomId } from '../../lib/random-id.ts'

/**
 * State of a page for as long as it lives: executions that have begun here, and those that must never begin. Outlives
 * every agent and worker, hot reloads of this module, and covers all copies of the package.
 */
export interface PageRegistry {
  /** Id of this page load. */
  readonly pageId: string
  /** Executions requested here, by `executionId`. Null: the outcome was acknowledged. */
  readonly executions: Map<string, Execution | null>
  /** Executions whose outcome was requested, or that were cancelled, before they arrived. They never start. */
  readonly refused: Set<string>
  /** Newest epoch seen, by store and conversation. */
  readonly epochs: Map<string, number>
  /** Conversations whose runs were begun or resumed here. '' means the newest conversation, whichever that was. */
  readonly touched: Set<string>
  /** Starts workers at trusted addresses. Undefined if that isn't needed or was never tried. */
  startWorker?: StartTrusted | undefined
}

/** Calls a function that makes a worker, with an address that Trusted Types accept. */
export type StartTrusted = (make: () => Worker) => Worker

export function pageRegistry(): PageRegistry {
  return getPageSingleton('page', () => ({
    pageId: randomId(),
    executions: new Map(),
    refused: new Set(),
    epochs: new Map(),
    touched: new Set(),
  }))
}

/**
 * Makes the page behave as if it had just been loaded: runs of a disposed agent are resumed as after a reload, instead
 * of joined.
 */
export function forgetPage(): void {
  deletePageSingleton('page')
}
