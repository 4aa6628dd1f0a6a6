import { parseField, textOf, type Field, type Invoice } from './invoice.ts'
import {
  loadLedger,
  onOtherTabSaved,
  saveLedger,
  type Edit,
  type LedgerState,
} from './ledger-state.ts'

/** Edits of calls that are remembered. */
const MAX_EDITS = 500

export interface CellEdit {
  readonly id: string
  readonly field: Field
  /** Text of the new value. */
  readonly to: string
}

/**
 * A sheet of invoices: what its cells and the agent's tools both use. Methods throw an `Error` whose words suit a person
 * and a model alike.
 */
export interface Ledger {
  getState(): LedgerState
  subscribe(listener: () => void): () => void
  get(id: string): Invoice
  /** Sets a cell. The same `key` edits once, and returns the first edit again. */
  edit(edit: CellEdit, key?: string): Edit
  /** Sets a cell back. Throws if its value isn't that of the edit any more. */
  revert(edit: Omit<Edit, 'key'>): void
  /** Adds the invoices whose ids are new. Returns those. */
  add(invoices: readonly Invoice[]): readonly Invoice[]
  remove(ids: readonly string[]): readonly Invoice[]
}

export function createLedger(): Ledger {
  let state = loadLedger()
  const listeners = new Set<() => void>()

  const setState = (next: LedgerState): void => {
    state = next
    for (const listener of listeners) listener()
  }
  const change = (part: Partial<LedgerState>): void => {
    setState({ ...state, ...part })
    saveLedger(state)
  }
  const get = (id: string): Invoice => {
    const invoice = state.invoices.find((each) => each.id === id)
    if (!invoice) throw new Error(`There is no invoice ${id}. Find its id first.`)
    return invoice
  }
  const set = ({ id, field, to }: CellEdit, edits = state.edits): void => {
    const value = parseField(field, to)
    change({
      invoices: state.invoices.map((each) => (each.id === id ? { ...each, ...value } : each)),
      edits,
    })
  }
  onOtherTabSaved(() => setState(loadLedger()))

  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    get,
    edit({ id, field, to }, key = '') {
      const earlier = state.edits.find((edit) => key !== '' && edit.key === key)
      if (earlier) return earlier
      const before = get(id)
      const newText = textOf({ ...before, ...parseField(field, to) }, field)
      const edit: Edit = { key, id, field, from: textOf(before, field), to: newText }
      set(edit, key === '' ? state.edits : [...state.edits, edit].slice(-MAX_EDITS))
      return edit
    },
    revert({ id, field, from, to }) {
      const currentText = textOf(get(id), field)
      if (currentText === from) return
      if (currentText !== to)
        throw new Error(`The ${field} of ${id} has changed since, to “${currentText}”. It stays.`)
      set({ id, field, to: from })
    },
    add(invoices) {
      const knownIds = new Set(state.invoices.map(({ id }) => id))
      const added = invoices.filter(({ id }) => !knownIds.has(id) && knownIds.add(id))
      if (added.length > 0) change({ invoices: sortById([...state.invoices, ...added]) })
      return added
    },
    remove(ids) {
      const removed = ids.map(get)
      change({ invoices: state.invoices.filter(({ id }) => !ids.includes(id)) })
      return removed
    },
  }
}

function sortById(invoices: readonly Invoice[]): readonly Invoice[] {
  return invoices.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
