import { OffstageError, toErrorData } from '../../protocol/error.ts'
import type { Fact, NewRow } from '../../protocol/fact.ts'
import type { PageApi } from '../../protocol/page-calls.ts'
import { wrongOf } from './check-row.ts'
import { isRedaction } from './check-redacted.ts'
import type { Store } from './store.ts'

/** Redacts facts for the stores that require it. The redaction functions run in the page. */
export class Redaction {
  readonly #page: Pick<PageApi, 'redact'>
  readonly #storages = new Set<string>()

  constructor(page: Pick<PageApi, 'redact'>) {
    this.#page = page
  }

  /** Requires that everything written to this store from now on is redacted by the page. */
  require(storage: string): void {
    this.#storages.add(storage)
  }

  isRequired(storage: string): boolean {
    return this.#storages.has(storage)
  }

  /** The redacted rows, to be stored. Throws `redact-failed`. */
  async rows(storage: string, rows: readonly NewRow[]): Promise<readonly NewRow[]> {
    if (rows.length === 0) return rows
    const facts = rows.map(factOf)
    const redacted = await this.#ask(storage, facts)
    return rows.map((row, index) => {
      const fact = redacted[index]
      const before = facts[index]
      if (!before || !isRedaction(before, fact)) throw failed(row)
      const { runId, at } = row
      const next: NewRow = { ...fact, runId, at }
      if (wrongOf(next) !== null) throw failed(row)
      return next
    })
  }

  async #ask(storage: string, facts: readonly Fact[]): Promise<readonly unknown[]> {
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
export function redactedStore(store: Store, storage: string, redaction: Redaction): Store {
  const isRequired = (): boolean => redaction.isRequired(storage)
  const titleOf = async (title: string, at: number): Promise<string> => {
    const [row] = await redaction.rows(storage, [{ type: 'renamed', title, runId: null, at }])
    return row?.type === 'renamed' ? row.title : ''
  }
  const own: Partial<Store> = {
    append: async (append) =>
      store.append(
        isRequired() ? { ...append, rows: await redaction.rows(storage, append.rows) } : append,
      ),
    place: async (placement) =>
      store.place(
        isRequired()
          ? { ...placement, rows: await redaction.rows(storage, placement.rows) }
          : placement,
      ),
    // No drafts are kept: a partial text may end within a secret, where redaction would miss it.
    keepDraft: async (draft) => {
      if (!isRequired()) await store.keepDraft(draft)
    },
    rename: async (conversationId, name) =>
      store.rename(
        conversationId,
        isRequired() ? { ...name, title: await titleOf(name.title, name.at) } : name,
      ),
  }
  // Bind methods: those of an app's class may use private fields.
  return new Proxy({} as Store, {
    get: (_, name) => {
      const value: unknown = Reflect.get(own, name) ?? Reflect.get(store, name)
      return typeof value === 'function' ? (value.bind(store) as unknown) : value
    },
  })
}

const UNANSWERED = 'Nothing was stored: the page did not say how it is to be redacted.'

function factOf({ runId: _runId, at: _at, ...fact }: NewRow): Fact {
  return fact as Fact
}

function failed({ type }: NewRow): OffstageError {
  return new OffstageError(
    'redact-failed',
    `Nothing was stored: redact must return a ${type} fact as it is, but for its texts and data.`,
  )
}
