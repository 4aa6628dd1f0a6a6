import { canonicalJson } from '../../lib/json/canonical-json.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { NewRow, Row } from '../../protocol/fact.ts'
import type { Append, Store } from '../../worker/store/store.ts'

/** Throws unless both are the same plain data. The order of keys doesn't matter. */
export function expectSame(actual: unknown, expected: unknown, label: string): void {
  const [actualJson, expectedJson] = [canonicalJson(actual), canonicalJson(expected)]
  if (actualJson !== expectedJson)
    throw new Error(`${label}: found ${actualJson}, must be ${expectedJson}.`)
}

export function expectTrue(condition: boolean, label: string): void {
  if (!condition) throw new Error(`${label}: not true.`)
}

/** Throws unless the promise rejects with an `OffstageError` with this code. */
export async function expectRefusal(
  promise: Promise<unknown>,
  code: string,
  label: string,
): Promise<void> {
  expectSame(await codeOf(promise), code, label)
}

/** Code of the promise's rejection; null if it resolves. */
export async function codeOf(promise: Promise<unknown>): Promise<string | null> {
  try {
    await promise
    return null
  } catch (error) {
    return OffstageError.is(error) ? error.code : `no OffstageError: ${String(error)}`
  }
}

let lastId = 0
/** Returns a new id on each call. */
export function newId(prefix: string): string {
  return `${prefix}-${++lastId}`
}

export function runStarted(runId: string, text: string): NewRow {
  return {
    type: 'run-started',
    runId,
    at: 5,
    parentId: null,
    message: { id: newId('message'), parts: [{ type: 'text', text }] },
    limits: { maxSteps: 10, retries: 3 },
  }
}

export function runEnded(runId: string, at = 6): NewRow {
  return { type: 'run-ended', runId, at, end: { outcome: 'completed' } }
}

let lastOrder = 0
/** `order` for the next try to append, higher than all before. */
export function nextOrder(): number {
  return ++lastOrder
}

/** Makes an append with a new id. */
export function appendOf(conversationId: string, epoch: number, rows: readonly NewRow[]): Append {
  return { conversationId, epoch, appendId: newId('append'), order: nextOrder(), rows }
}

export async function rowsIn(store: Store, conversationId = 'c'): Promise<readonly Row[]> {
  return (await store.read(conversationId)).rows as readonly Row[]
}

export function seqsOf(rows: readonly unknown[]): number[] {
  return (rows as readonly Row[]).map(({ seq }) => seq)
}

/** A store, opened twice independently, as by two tabs or two devices. */
export interface StorePair {
  readonly store: Store
  /** Another object for the same conversations. */
  readonly other: Store
}

/** Your store, for `storeContract`. Only `open` is required; the other methods simulate faults. */
export interface StoreUnderTest {
  /** Opens an empty store, twice. */
  open(): Promise<StorePair>
  /**
   * Makes the next `append` reach the store but lose its answer, so that the call rejects with a `storage-…` code.
   * Default: answers are dropped outside the store, which finds fewer bugs.
   */
  loseNextAnswer?(store: Store): void
  /**
   * Keeps a copy of the store's next request. Returns a function that delivers the copy, as a proxy may do minutes
   * later. Omit it if no proxy can be between the store and its data.
   */
  copyNextRequest?(store: Store): () => Promise<void>
  /** Fills the store, so that the next `append` rejects with `storage-full`. Resolves to a function that makes room. */
  fill?(store: Store): Promise<() => Promise<void>>
}

/** A single requirement. `run` rejects with an error that describes the difference. */
export interface ContractCase {
  readonly group: string
  readonly name: string
  run(): Promise<void>
}

/** A requirement. Gets its own store. */
export type Requirement = (pair: StorePair, tested: StoreUnderTest) => Promise<void>

/** Throws unless the store refuses an append by the owner of this epoch with this code. */
export function expectNoAppend(
  store: Store,
  epoch: number,
  code = 'ownership-lost',
): Promise<void> {
  return expectRefusal(store.append(appendOf('c', epoch, [runEnded('r')])), code, 'an append')
}
