import { onTestFinished } from 'vitest'
import { emptyState } from '../../../src/conversation/state.ts'
import { fold } from '../../../src/conversation/fold.ts'
import type { Agent, ConversationFile } from '../../../src/index.ts'
import { isImportMark, type NewRow, type Row } from '../../../src/protocol/fact.ts'
import type { ConversationState } from '../../../src/protocol/state.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { createMemoryStore } from '../../../src/worker/store/memory-store.ts'
import type { Store } from '../../../src/worker/store/store.ts'
import { nextRows, type Kind } from './random-facts.ts'
import { newId, nextOrder } from './store-support.ts'

/** The row that an import adds, unless an earlier import has. Exports leave it out. */
export const IMPORTED = {
  type: 'context-tainted',
  after: null,
  origin: 'an imported conversation',
  runId: null,
} as const

/** An agent whose conversations are in the store. */
export function agentOf(store: Store = createMemoryStore()): Agent {
  const agent = createTestAgent({
    script: { fallback: [{ text: 'Hello.' }] },
    testStorage: { open: async () => store },
  })
  onTestFinished(() => agent.dispose())
  return agent
}

export async function fileOf(agent: Agent, conversationId?: string): Promise<string> {
  return new Response(await agent.conversations.export(conversationId)).text()
}

export const linesIn = (file: string): string[] => file.split('\n').filter(Boolean)

/** The store's content. Leaves out the ids of the store and its appends, and the mark of an import at the end. */
export async function contentOf(store: Store): Promise<unknown> {
  const { records } = await store.list()
  const all = await Promise.all(
    records.map(async ({ epoch: _epoch, importId: _importId, ...record }) => {
      const rows = (await store.read(record.conversationId)).rows as readonly Row[]
      const bare = rows.map(({ appendId: _appendId, ...row }) => row)
      const last = rows.at(-1)
      if (!last || !isImportMark(last)) return { record, rows: bare }
      return { record: { ...record, lastSeq: record.lastSeq - 1 }, rows: bare.slice(0, -1) }
    }),
  )
  return all.toSorted((a, b) => (a.record.conversationId < b.record.conversationId ? -1 : 1))
}

export async function write(store: Store, id: string, ...rows: readonly NewRow[]): Promise<void> {
  const { epoch } = await store.claim(id, 1)
  await store.append({ conversationId: id, epoch, appendId: newId(), order: nextOrder(), rows })
}

/** Facts of all kinds, as they may follow each other. */
export async function writeRandom(
  store: Store,
  id: string,
  choices: readonly (readonly [Kind | 'context' | 'branch', number])[],
): Promise<ConversationState> {
  const { epoch } = await store.claim(id, 1)
  let state = emptyState(id)
  for (const [kind, choice] of choices) {
    const rows = kind === 'context' ? contextRows(state, choice) : rowsOf(kind, state, choice)
    if (rows.length === 0) continue
    const appended = await store.append({
      conversationId: id,
      epoch,
      appendId: newId(),
      order: nextOrder(),
      rows,
    })
    state = fold(state, appended)
  }
  return state
}

function rowsOf(kind: Kind | 'branch', state: ConversationState, choice: number): NewRow[] {
  if (kind !== 'branch') return nextRows(kind, state, choice)
  const parentId = state.path.at(Math.floor(state.path.length / 2))?.parentId ?? null
  return nextRows('run-started', state, choice).map((row) => ({ ...row, parentId }) as NewRow)
}

function contextRows(state: ConversationState, choice: number): NewRow[] {
  const after = state.path.at(-1)?.id ?? null
  const of = { runId: null, at: 20 + choice, after }
  const from = state.path[0]?.id ?? ''
  const all: NewRow[] = [
    { ...of, type: 'compacted', from, to: from, keptFrom: after, summary: `Sum ${choice}` },
    {
      ...of,
      type: 'skill-activated',
      name: 's',
      hash: 'h',
      text: 'Be "kind" \u2028\n\u0000 \ud800.',
    },
    { ...of, type: 'plan-changed', plan: [{ content: 'Do', status: 'pending' }] },
    { ...of, type: 'context-tainted', origin: 'web', path: ['x'] },
    { ...of, type: 'memory-retrieved', items: [{ text: 'ü', n: 1.5, list: [null, true] }] },
    { ...of, type: 'results-cleared', paths: [['a', 'b']] },
    {
      type: 'consent-given',
      consentId: `c${choice}`,
      scope: { toolName: 't', definition: 'd', within: 'conversation' },
      runId: null,
      at: 9,
    },
    { type: 'consent-revoked', consentId: `c${choice - 1}`, runId: null, at: 9 },
    { type: 'message-queued', message: { id: newId(), parts: [FILE] }, runId: null, at: 9 },
  ]
  return all.slice(choice % all.length).slice(0, 1)
}

const FILE = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const

export function importInto(store: Store, file: ConversationFile) {
  return agentOf(store).conversations.import(file)
}
