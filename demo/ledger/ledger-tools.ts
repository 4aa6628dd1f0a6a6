import { defineTool, type CompositeTool, type FilePart, type Tool } from 'offstage'
import { formatMoney } from '../lib/format.ts'
import { wait } from '../lib/wait.ts'
import { attachedText } from './attached-text.ts'
import { readInvoices } from './csv.ts'
import { findInvoices } from './find-invoices.ts'
import { fields, parseInvoice, statuses, type Invoice } from './invoice.ts'
import type { Ledger } from './ledger.ts'
import type { Edit } from './ledger-state.ts'

/** Milliseconds that a cell takes to save. Leaves enough time to reload the page between two of them. */
const SAVE_MS = 400
/** Invoices that one call lists or changes at most. */
const MAX_INVOICES = 60

interface FoundInvoices {
  readonly count: number
  readonly invoices: readonly { readonly id: string }[]
}

/** Files attached to the messages of a conversation, newest last. */
export type ReadFiles = (conversationId: string) => Promise<readonly FilePart[]>

const filterProperties = {
  query: { type: 'string', description: 'Words of the id, customer, date or note.' },
  status: { enum: [...statuses, 'open'], description: 'open: sent or overdue.' },
} as const
const cellProperties = {
  field: { enum: fields },
  value: {
    type: 'string',
    description: 'Amounts in euros, such as 1250.00. Dates such as 2026-03-31.',
  },
} as const
const idProperty = { type: 'string', description: 'As find_invoices gives it: INV-2001.' } as const

/** Tools of the ledger. Each change can be undone in the chat. */
export function ledgerTools(
  ledger: Ledger,
  readFiles: ReadFiles,
): readonly (Tool | CompositeTool)[] {
  return [
    findTool(ledger),
    editTool(ledger),
    setManyTool(ledger),
    importTool(ledger, readFiles),
    deleteTool(ledger),
  ]
}

function findTool(ledger: Ledger): Tool {
  return defineTool({
    name: 'find_invoices',
    title: 'Find invoices',
    description: 'Lists invoices by words and status. Without a filter: all of them.',
    inputSchema: { type: 'object', properties: filterProperties },
    annotations: { readOnly: true },
    execute(filter) {
      const found = findInvoices(ledger.getState().invoices, filter)
      return {
        count: found.length,
        total: totalOf(found),
        invoices: found.slice(0, MAX_INVOICES).map(describeInvoice),
      }
    },
  })
}

function editTool(ledger: Ledger): Tool {
  return defineTool({
    name: 'edit_cell',
    title: 'Edit a cell',
    description: 'Sets one field of one invoice.',
    inputSchema: {
      type: 'object',
      properties: { id: idProperty, ...cellProperties },
      required: ['id', 'field', 'value'],
    },
    annotations: { idempotent: true, reversible: true },
    async execute({ id, field, value }, { idempotencyKey, signal }) {
      await wait(SAVE_MS, signal)
      const { from, to } = ledger.edit({ id, field, to: value }, idempotencyKey)
      return { id, field, from, to }
    },
    undo: (_input, output) => ledger.revert(output as Omit<Edit, 'key'>),
  })
}

/** Makes many edits in one call. After a crash, finished edits return their recorded results. */
function setManyTool(ledger: Ledger): CompositeTool {
  return defineTool({
    name: 'set_many',
    title: 'Set many cells',
    description: 'Sets one field of all invoices that match a filter. Prefer it to many edit_cell.',
    version: '1',
    inputSchema: {
      type: 'object',
      properties: { ...filterProperties, ...cellProperties },
      required: ['field', 'value'],
    },
    annotations: { idempotent: true, reversible: true },
    async run({ query, status, field, value }, { call, progress }) {
      const filter = { ...(query && { query }), ...(status && { status }) }
      const found = (await call('find_invoices', filter)) as unknown as FoundInvoices
      if (found.count > found.invoices.length)
        throw new Error(`${found.count} invoices match. Name a status or words that fewer have.`)
      const edits: Omit<Edit, 'key'>[] = []
      for (const { id } of found.invoices) {
        const edit = await call('edit_cell', { id, field, value })
        edits.push(edit as Omit<Edit, 'key'>)
        progress({ progress: edits.length, total: found.invoices.length, message: id })
      }
      return { edits }
    },
    undo(_input, output) {
      const failures: unknown[] = []
      for (const edit of (output as { edits: Omit<Edit, 'key'>[] }).edits) {
        try {
          ledger.revert(edit)
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  })
}

function importTool(ledger: Ledger, readFiles: ReadFiles): Tool {
  return defineTool({
    name: 'import_invoices',
    title: 'Import a CSV file',
    description:
      'Adds the invoices of a CSV file that the user has attached; the newest one without a name. Columns: id, customer, date, amount, status, note. Leaves out ids that the ledger has.',
    inputSchema: { type: 'object', properties: { filename: { type: 'string' } } },
    annotations: { reversible: true, untrustedContent: true },
    async execute({ filename }, { conversationId }) {
      const { name, text } = attachedText(await readFiles(conversationId), filename)
      const invoices = readInvoices(text).map((row) => parseRow(row.id, row.text))
      const added = ledger.add(invoices)
      return {
        file: name,
        added: added.map(({ id }) => id),
        total: totalOf(added),
        leftOut: invoices.length - added.length,
      }
    },
    undo(_input, output) {
      const { added } = output as { added: string[] }
      const presentIds = new Set(ledger.getState().invoices.map(({ id }) => id))
      ledger.remove(added.filter((id) => presentIds.has(id)))
    },
  })
}

function parseRow(id: string, text: Parameters<typeof parseInvoice>[1]): Invoice {
  try {
    return parseInvoice(id, text)
  } catch (error) {
    throw new Error(`${id}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function deleteTool(ledger: Ledger): Tool {
  return defineTool({
    name: 'delete_invoices',
    title: 'Delete invoices',
    description: 'Deletes invoices. A person is asked first.',
    inputSchema: {
      type: 'object',
      properties: {
        ids: { type: 'array', title: 'Invoices', items: idProperty, minItems: 1, maxItems: 20 },
      },
      required: ['ids'],
    },
    annotations: { destructive: true },
    describe({ ids }) {
      const invoices = ids.map((id) => ledger.get(id))
      const list = invoices.map(({ id, customer, amount }) => {
        return `${id} of ${customer}, ${formatMoney(amount)}`
      })
      return {
        text: `${totalOf(invoices)} in all: ${list.join('; ')}`,
        data: invoices.map(describeInvoice),
      }
    },
    execute({ ids }, { about }) {
      const current = ids.map((id) => describeInvoice(ledger.get(id)))
      if (about !== undefined && JSON.stringify(about) !== JSON.stringify(current))
        throw new Error('An invoice has changed since the person was asked. Nothing was deleted.')
      return { deleted: ledger.remove(ids).map((invoice) => ({ ...invoice })) }
    },
    undo: (_input, output) =>
      void ledger.add((output as unknown as { deleted: readonly Invoice[] }).deleted),
  })
}

/** An invoice in words that a model can quote. */
function describeInvoice({ id, customer, date, amount, status, note }: Invoice) {
  return { id, customer, date, amount: formatMoney(amount), status, ...(note && { note }) }
}

function totalOf(invoices: readonly Invoice[]): string {
  return formatMoney(invoices.reduce((sum, { amount }) => sum + amount, 0))
}

/** Counts and sums by status. */
export function ledgerSummary(ledger: Ledger): object {
  const { invoices } = ledger.getState()
  return Object.fromEntries(
    statuses.map((status) => {
      const matching = findInvoices(invoices, { status })
      return [status, { count: matching.length, total: totalOf(matching) }]
    }),
  )
}
