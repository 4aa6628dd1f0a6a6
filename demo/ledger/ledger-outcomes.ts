import type { Outcomes } from '../model/outcome.ts'

export const ledgerOutcomes: Outcomes = {
  set_many: {
    describe: (output) =>
      `Set ${count(output['edits'], 'cell')}. Each was a call of its own, stored before it ran. *Undo* sets them all back.`,
  },
  import_invoices: {
    describe({ file, added, total, leftOut }) {
      const leftOutNote = leftOut === 0 ? '' : ` ${String(leftOut)} were in the ledger before.`
      return `Imported ${count(added, 'invoice')} from ${String(file)}, ${String(total)} in all.${leftOutNote}`
    },
  },
  delete_invoices: {
    denied: 'OK, nothing was deleted.',
    describe: ({ deleted }) => `Deleted ${count(deleted, 'invoice')}. *Undo* brings them back.`,
  },
}

function count(list: unknown, noun: string): string {
  const { length } = Array.isArray(list) ? list : []
  return `${length} ${noun}${length === 1 ? '' : 's'}`
}
