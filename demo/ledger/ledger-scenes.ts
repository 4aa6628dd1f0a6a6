import type { Scene } from '../app.ts'
import { OUTCOME } from '../model/outcome.ts'

const misspelled = ['INV-2007', 'INV-2014', 'INV-2021', 'INV-2029']

export const IMPORT_PROMPT = 'Import the attached CSV file'

/** Scenes of the ledger. */
export const ledgerScenes: readonly Scene[] = [
  {
    prompt: 'Fix the spelling of Harbor Café',
    isSuggested: true,
    script: {
      match: ['spelling', 'harbor'],
      steps: [
        {
          text: 'Four invoices spell that name in their own way. I edit one cell at a time: **reload the page** between two of them.',
          toolCalls: [{ toolName: 'find_invoices', input: { query: 'caf' } }],
        },
        {
          toolCalls: misspelled.map((id) => ({
            toolName: 'edit_cell',
            input: { id, field: 'customer', value: 'Harbor Café' },
          })),
        },
        { text: 'Every one reads “Harbor Café” now. Each edit has an *Undo* of its own.' },
      ],
    },
  },
  {
    prompt: 'Mark all of Alder School as paid',
    isSuggested: true,
    script: {
      match: ['alder'],
      steps: [
        {
          text: 'This is one call to me. It makes an edit for each open invoice.',
          toolCalls: [
            {
              toolName: 'set_many',
              input: { query: 'Alder School', status: 'open', field: 'status', value: 'paid' },
            },
          ],
        },
        { text: OUTCOME },
      ],
    },
  },
  {
    prompt: IMPORT_PROMPT,
    script: {
      match: ['import', 'csv'],
      steps: [{ toolCalls: [{ toolName: 'import_invoices', input: {} }] }, { text: OUTCOME }],
    },
  },
  {
    prompt: 'Delete the drafts (needs your OK)',
    isSuggested: true,
    script: {
      match: ['delete'],
      steps: [
        { toolCalls: [{ toolName: 'find_invoices', input: { status: 'draft' } }] },
        {
          text: "Deleting needs your approval. Edit a draft or reload the page first: I'll wait.",
          toolCalls: [
            { toolName: 'delete_invoices', input: { ids: ['INV-2034', 'INV-2038', 'INV-2039'] } },
          ],
        },
        { text: OUTCOME },
      ],
    },
  },
  {
    prompt: 'Move INV-2037 to the 31st of September',
    script: {
      match: ['2037'],
      steps: [
        {
          toolCalls: [
            {
              toolName: 'edit_cell',
              input: { id: 'INV-2037', field: 'date', value: '2026-09-31' },
            },
          ],
        },
        {
          text: 'There is no such day. The tool said so, and the run went on with the last one.',
          toolCalls: [
            {
              toolName: 'edit_cell',
              input: { id: 'INV-2037', field: 'date', value: '2026-09-30' },
            },
          ],
        },
        { text: 'INV-2037 is dated 30 September.' },
      ],
    },
  },
]
