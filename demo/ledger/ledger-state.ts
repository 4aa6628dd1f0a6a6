import { storedValue } from '../lib/stored.ts'
import { firstInvoices } from './first-invoices.ts'
import type { Field, Invoice } from './invoice.ts'

/** The state that the ledger stores. */
export interface LedgerState {
  readonly invoices: readonly Invoice[]
  /** The newest edits of calls. A call that is repeated after a crash finds its own edit here. */
  readonly edits: readonly Edit[]
}

/** A changed cell. Its texts are those of `textOf`. */
export interface Edit {
  readonly key: string
  readonly id: string
  readonly field: Field
  readonly from: string
  readonly to: string
}

const STORAGE_KEY = 'ledger'
const store = storedValue('localStorage', STORAGE_KEY)

export function loadLedger(): LedgerState {
  const state = store.read()
  return isLedgerState(state) ? state : { invoices: firstInvoices, edits: [] }
}

export function saveLedger(state: LedgerState): void {
  store.write(state)
}

/** Calls back when another tab has saved the ledger. */
export function onOtherTabSaved(callback: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === STORAGE_KEY) callback()
  })
}

function isLedgerState(value: unknown): value is LedgerState {
  return (
    typeof value === 'object' &&
    value !== null &&
    'invoices' in value &&
    Array.isArray(value.invoices) &&
    'edits' in value &&
    Array.isArray(value.edits)
  )
}
