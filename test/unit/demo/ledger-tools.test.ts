import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CompositeTool, FilePart, Tool } from 'offstage'
import { createLedger, type Ledger } from '../../../demo/ledger/ledger.ts'
import { ledgerTools } from '../../../demo/ledger/ledger-tools.ts'

beforeEach(() => void vi.stubGlobal('addEventListener', () => undefined))
afterEach(() => vi.unstubAllGlobals())

const context = { conversationId: 'c', idempotencyKey: 'k', signal: new AbortController().signal }

function toolOf(name: string, ledger: Ledger, csv = ''): Tool & CompositeTool {
  const file: FilePart = { type: 'file', mediaType: 'text/csv', filename: 'a.csv', data: btoa(csv) }
  const tools = ledgerTools(ledger, async () => [file])
  return tools.find((each) => each.name === name) as Tool & CompositeTool
}

test('an id that stands twice in a file is one invoice', async () => {
  const ledger = createLedger()
  const row = 'INV-9001,Alder School,2026-08-17,540.00,sent,\n'
  const csv = `id,customer,date,amount,status,note\n${row}${row}`
  await toolOf('import_invoices', ledger, csv).execute({}, context as never)
  expect(ledger.getState().invoices.filter(({ id }) => id === 'INV-9001')).toHaveLength(1)
})

test('undo of many edits sets back all cells but those that were changed since', () => {
  const ledger = createLedger()
  const ids = ['INV-2014', 'INV-2015', 'INV-2016']
  const statuses = (): string[] => ids.map((id) => ledger.get(id).status)
  const before = statuses()
  const edits = ids.map((id) => ledger.edit({ id, field: 'status', to: 'paid' }))
  ledger.edit({ id: 'INV-2015', field: 'status', to: 'draft' })
  const undo = (): unknown =>
    toolOf('set_many', ledger).undo?.({}, { edits } as never, context as never)
  expect(undo).toThrow('INV-2015')
  expect(statuses()).toEqual([before[0], 'draft', before[2]])
})

test('more invoices than are listed are not changed in part', async () => {
  const ledger = createLedger()
  const call = async (): Promise<unknown> => ({ count: 61, invoices: [] })
  const run = toolOf('set_many', ledger).run({ field: 'note', value: 'x' }, { call } as never)
  await expect(run).rejects.toThrow('61 invoices match')
})
