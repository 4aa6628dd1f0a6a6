import type { WorkerNotice } from '../../protocol/notices.ts'
import {
  type CustomStorage,
  isCustomStorage,
  type StorageConfig,
  storageKey,
  type StorageReport,
  type StorageState,
} from '../../protocol/conversation.ts'
import { OffstageError, toErrorData } from '../../protocol/error.ts'
import { createMemoryStore } from './memory-store.ts'
import type { Store } from './store.ts'
import type { Fact, NewRow } from '../../protocol/fact.ts'
import type { PageApi } from '../../protocol/page-calls.ts'
import { findProblem } from './check-row.ts'
import { isJson } from '../../lib/json/is-json.ts'
import { sameJson } from '../../lib/json/same-json.ts'
import { isRecord } from '../../lib/shape.ts'

/** Whether the page is visible. Fires `change` when that changes. */
export interface PageVisibility extends EventTarget {
  readonly isVisible: boolean
}

/** The visibility that the page last reported. */
export class PageVisibilityTarget extends EventTarget implements PageVisibility {
  isVisible = true

  set(isVisible: boolean): void {
    this.isVisible = isVisible
    this.dispatchEvent(new Event('change'))
  }
}

/** Fields with text by people, models and tools, anywhere in a fact. The fold relies on all other fields. */
const CONTENT: ReadonlySet<string> = new Set([
  'text',
  'input',
  'value',
  'values',
  'answer',
  'question',
  'options',
  'description',
  'title',
  'content',
  'summary',
  'items',
  'appended',
  'rewritten',
  'suggestion',
  'data',
])

/** Fields with content that redaction may remove. */
const DROPPABLE: ReadonlySet<string> = new Set([
  'actionText',
  'providerMetadata',
  'foreign',
  'rawInput',
  'filename',
  'note',
  'details',
])

/** Facts that must stay the same: their `reason` is a code, or their `text` has a hash. */
const FIXED: ReadonlySet<Fact['type']> = new Set(['run-paused', 'skill-activated'])

/**
 * Whether a fact differs from the original in its content only. Ids, types, counts and the order of its parts are the
 * same. Pure. The check of rows decides whether the content has a valid shape.
 */
function isRedaction(before: Fact, after: unknown): after is Fact {
  return isJson(after) && (FIXED.has(before.type) ? sameJson : isSimilar)(before, after)
}

/** Whether nothing was added, and all fields but content are the same. */
function isSimilar(before: unknown, after: unknown): boolean {
  if (Array.isArray(before))
    return (
      Array.isArray(after) &&
      before.length === after.length &&
      before.every((each, index) => isSimilar(each, after[index]))
    )
  if (!isRecord(before)) return before === after
  return (
    isRecord(after) &&
    Object.keys(after).every((key) => key in before) &&
    Object.entries(before).every(([key, each]) => isSimilarField(key, each, after[key]))
  )
}

function isSimilarField(key: string, before: unknown, after: unknown): boolean {
  if (DROPPABLE.has(key)) return true
  if (CONTENT.has(key)) return after !== undefined || before === undefined
  // A string with this name is content; an object with this name is structure.
  if ((key === 'message' || key === 'reason') && typeof before === 'string')
    return typeof after === 'string'
  return isSimilar(before, after)
}

/** Redacts facts for the stores that require it. The redaction functions run in the page. */
export class Redaction {
  readonly #page: Pick<PageApi, 'redact'>
  readonly #storages = new Set<string>()

  constructor(page: Pick<PageApi, 'redact'>) {
    this.#page = page
  }

  /** Requires that everything written to this store from now on is redacted by the page. */
  requireRedaction(storage: string): void {
    this.#storages.add(storage)
  }

  isRequired(storage: string): boolean {
    return this.#storages.has(storage)
  }

  /** The redacted rows, to be stored. Throws `redact-failed`. */
  async redactRows(storage: string, rows: readonly NewRow[]): Promise<readonly NewRow[]> {
    if (rows.length === 0) return rows
    const facts = rows.map(factOf)
    const redacted = await this.#redactFacts(storage, facts)
    return rows.map((row, index) => {
      const fact = redacted[index]
      const original = facts[index]
      if (!original || !isRedaction(original, fact)) throw redactFailed(row)
      const { runId, at } = row
      const redactedRow: NewRow = { ...fact, runId, at }
      if (findProblem(redactedRow) !== null) throw redactFailed(row)
      return redactedRow
    })
  }

  async #redactFacts(storage: string, facts: readonly Fact[]): Promise<readonly unknown[]> {
    try {
      return await this.#page.redact({ storage, facts })
    } catch (thrown) {
      const { code, message } = toErrorData(thrown)
      // Unredacted facts are never stored, whatever the reason.
      throw new OffstageError('redact-failed', code === 'redact-failed' ? message : UNANSWERED)
    }
  }
}

/** Wraps a store: while redaction is required, rows are redacted before they are written. */
function redactedStore(store: Store, storage: string, redaction: Redaction): Store {
  const isRequired = (): boolean => redaction.isRequired(storage)
  const redactTitle = async (title: string, at: number): Promise<string> => {
    const [row] = await redaction.redactRows(storage, [{ type: 'renamed', title, runId: null, at }])
    return row?.type === 'renamed' ? row.title : ''
  }
  const overrides: Partial<Store> = {
    append: async (append) =>
      store.append(
        isRequired()
          ? { ...append, rows: await redaction.redactRows(storage, append.rows) }
          : append,
      ),
    place: async (placement) =>
      store.place(
        isRequired()
          ? { ...placement, rows: await redaction.redactRows(storage, placement.rows) }
          : placement,
      ),
    // No drafts are kept: a partial text may end within a secret, where redaction would miss it.
    keepDraft: async (draft) => {
      if (!isRequired()) await store.keepDraft(draft)
    },
    rename: async (conversationId, name) =>
      store.rename(
        conversationId,
        isRequired() ? { ...name, title: await redactTitle(name.title, name.at) } : name,
      ),
  }
  // Binds methods to the store: an app's class may use private fields.
  return new Proxy({} as Store, {
    get: (_, name) => {
      const value: unknown = Reflect.get(overrides, name) ?? Reflect.get(store, name)
      return typeof value === 'function' ? (value.bind(store) as unknown) : value
    },
  })
}

const UNANSWERED = 'Nothing was stored: the page did not redact the data.'

function factOf({ runId: _runId, at: _at, ...fact }: NewRow): Fact {
  return fact as Fact
}

function redactFailed({ type }: NewRow): OffstageError {
  return new OffstageError(
    'redact-failed',
    `Nothing was stored: redact may change only the texts and data of a ${type} fact.`,
  )
}

/**
 * Opens the durable store with this name, and reports each change of its state. Rejects only if the browser gives the
 * page no database at all.
 */
export type OpenDurable = (name: string, report: (state: StorageReport) => void) => Promise<Store>

/** A store of your own, which a page selects with `storage: { type, … }`. */
export interface StoreDefinition {
  /** Name by which pages select the store. */
  readonly type: string
  /**
   * Opens the store with the page's `storage` option. Called once for each different `storage` of a worker. Resolves
   * even if the store can't be reached now: its methods fail until it can. Rejects with an `OffstageError` if it can
   * never work, with `invalid-config` for example. `report` is called at each change of its state; a store that reports
   * nothing is `durable`. `visibility` tells whether a person can see the page: work that only one tab needs to do is
   * best done by a visible tab.
   */
  open(
    storage: CustomStorage,
    report: (state: StorageState) => void,
    visibility: PageVisibility,
  ): Promise<Store>
}

export interface StoresOptions {
  readonly openDurable: OpenDurable
  /** Custom stores of the worker. Default: none. */
  readonly stores?: readonly StoreDefinition[]
  readonly notify: (notice: WorkerNotice) => void
  readonly redaction: Redaction
}

/**
 * The stores in use, one for each name. If the browser gives the page no database at all, a memory store replaces it:
 * runs work, but a reload forgets them. A database that merely doesn't open yet is never replaced. Uses wait for it,
 * and the page is notified.
 */
export class Stores {
  readonly visibility: PageVisibilityTarget = new PageVisibilityTarget()
  readonly #options: StoresOptions
  readonly #stores = new Map<string, Promise<Store>>()

  constructor(options: StoresOptions) {
    this.#options = options
  }

  open(config: StorageConfig): Promise<Store> {
    const key = storageKey(config)
    const existing = this.#stores.get(key)
    if (existing) return existing
    const opened = this.#openStore(config, key)
    this.#stores.set(key, opened)
    return opened
  }

  async #openStore(config: StorageConfig, key: string): Promise<Store> {
    return redactedStore(await this.#createStore(config, key), key, this.#options.redaction)
  }

  #createStore(config: StorageConfig, key: string): Promise<Store> {
    if (config === 'memory') return this.#memory(key)
    return isCustomStorage(config) ? this.#custom(config, key) : this.#durable(config.name, key)
  }

  async #memory(storage: string, reason?: unknown): Promise<Store> {
    const details = reason === undefined ? {} : { reason: toErrorData(reason) }
    this.#options.notify({ type: 'storage', storage, mode: 'memory', ...details })
    return createMemoryStore()
  }

  async #durable(name: string, storage: string): Promise<Store> {
    try {
      return await this.#openReported(storage, (report) => this.#options.openDurable(name, report))
    } catch (error) {
      return this.#memory(storage, error)
    }
  }

  /** Opens a custom store. A memory store never replaces it: its data must not go elsewhere. */
  async #custom(config: CustomStorage, storage: string): Promise<Store> {
    const { stores: definitions = [] } = this.#options
    const definition = definitions.find(({ type }) => type === config.type)
    if (definition === undefined) throw unknownType(config.type, definitions)
    return this.#openReported(storage, (report) => definition.open(config, report, this.visibility))
  }

  async #openReported(
    storage: string,
    open: (report: (state: StorageReport) => void) => Promise<Store>,
  ): Promise<Store> {
    let isReported = false
    const report = (state: StorageReport): void => {
      isReported = true
      this.#options.notify({ type: 'storage', storage, ...state })
    }
    const store = await open(report)
    if (!isReported) report({ mode: 'durable' })
    return store
  }
}

function unknownType(type: string, definitions: readonly StoreDefinition[]): OffstageError {
  const types = definitions.map((each) => each.type).join(', ')
  return new OffstageError(
    'invalid-config',
    `The worker has no store of the type ${type}: ${types === '' ? 'it has none' : `it has ${types}`}. Give startWorker({ stores }) one.`,
  )
}
