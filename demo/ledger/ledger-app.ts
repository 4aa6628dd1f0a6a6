import type { Agent } from 'offstage'
import type { OffstageChat } from 'offstage/chat'
import type { DemoApp } from '../app.ts'
import { byId } from '../lib/dom.ts'
import { attachedFiles } from './attached-files.ts'
import { createLedger } from './ledger.ts'
import { IMPORT_PROMPT, ledgerScenes } from './ledger-scenes.ts'
import { ledgerSummary, ledgerTools } from './ledger-tools.ts'
import { showLedger } from './ledger-view.ts'
import { sampleFile } from './sample-file.ts'

/** Ledger: small edits, undo, a composite tool and the import of a file. */
export function createLedgerApp(): DemoApp {
  const ledger = createLedger()
  let connectedAgent: Agent | undefined
  showLedger(ledger)
  return {
    id: 'ledger',
    title: 'Ledger',
    heading: "Ledger's assistant",
    greeting:
      "Hi, I'm Ledger's assistant. I edit this sheet, and you can undo it. Try to break me.",
    instructions:
      'You help people with a sheet of invoices. Use the tools to find, edit, import and delete; never invent ids or amounts. To change several invoices at once, use set_many.',
    scenes: ledgerScenes,
    tools: ledgerTools(ledger, async (conversationId) =>
      connectedAgent ? attachedFiles(connectedAgent, conversationId) : [],
    ),
    context: () => ({ invoices: ledgerSummary(ledger) }),
    connect(agent, chat) {
      connectedAgent = agent
      const button = byId('import-sample', HTMLButtonElement)
      button.addEventListener('click', () => importSample(agent, chat))
    },
  }
}

function importSample(agent: Agent, { conversationId }: OffstageChat): void {
  if (!conversationId) return
  const message = [{ type: 'text', text: IMPORT_PROMPT } as const, sampleFile()]
  // The chat shows how the run ends, and why if it failed.
  agent
    .conversation(conversationId)
    .send(message)
    .result.catch(() => {})
}
