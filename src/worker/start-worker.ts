import { expose } from 'comlink'
import { WORKER_BEGUN, WORKER_CALLS } from '../protocol/worker-calls.ts'
import { serveCalls } from '../protocol/call.ts'
import { createProviderRegistry, type ProviderDefinition } from '../providers/registry.ts'
import { realEffects, type Effects } from './effects.ts'
import { PageConnection } from './host.ts'
import type { OpenDurable, StoreDefinition } from './store/stores.ts'
import { openIdbStore } from './store/idb-store.ts'
import { createValidator, type FastValidator } from './validation/validator.ts'

export type { PageVisibility, StoreDefinition } from './store/stores.ts'
export type { FastValidator } from './validation/validator.ts'
export type {
  Append,
  Claim,
  ClaimOptions,
  ListedRecords,
  ListPage,
  TitleChange,
  Placement,
  RowRange,
  StepDraft,
  Store,
  StoreChange,
  StoredRows,
} from './store/store.ts'

/** Endpoint that the worker listens on: its global scope, or a `MessagePort` in tests. */
export interface WorkerEndpoint {
  postMessage(message: unknown, transfer?: Transferable[]): void
  addEventListener(type: string, listener: (event: Event) => void): void
  removeEventListener(type: string, listener: (event: Event) => void): void
  start?(): void
}

/** Options of `startWorker`: additions to the default worker. */
export interface StartWorkerOptions {
  /** Custom providers, made with `defineProvider`. A provider with a built-in provider's id replaces it. */
  readonly providers?: readonly ProviderDefinition[]
  /** Custom stores, which pages select by their type: `storage: { type }`. */
  readonly stores?: readonly StoreDefinition[]
  /** Faster check of tool inputs: see `offstage/ajv`. Default: only the built-in validator. */
  readonly validator?: FastValidator
  /** Default: the worker's global scope. */
  readonly endpoint?: WorkerEndpoint
  /** The clock, ids and randomness, for tests. */
  readonly effects?: Effects
  /** Opens durable stores, for tests. Default: IndexedDB. */
  readonly openDurable?: OpenDurable
}

/**
 * Makes the current worker an Offstage worker. Call it once, at the top of the worker's own file;
 * importing this module does nothing.
 */
export function startWorker(options: StartWorkerOptions = {}): void {
  const endpoint = options.endpoint ?? (globalThis as unknown as WorkerEndpoint)
  const connection = new PageConnection({
    providers: createProviderRegistry(options.providers),
    effects: options.effects ?? realEffects,
    openDurable: options.openDurable ?? openIdbStore,
    stores: options.stores ?? [],
    validator: createValidator(options.validator),
  })
  const api = serveCalls(WORKER_CALLS, (name) => connection.answer(name))
  expose(api, endpoint as Parameters<typeof expose>[1])
  endpoint.start?.()
  endpoint.postMessage(WORKER_BEGUN)
}
