import 'fake-indexeddb/auto'
import { describe, expect, it } from 'vitest'
import type { ToolOutcome } from '../../../src/protocol/page-calls.ts'
import { FORMAT } from '../../../src/protocol/fact.ts'
import { databaseName } from '../../../src/worker/store/idb-connection.ts'
import { openIdbStore } from '../../../src/worker/store/idb-store.ts'
import {
  createWorld,
  SCOPE,
  SimPage,
  startCommand,
  startLife,
  type SimTool,
  type World,
} from './simulation.ts'

const resume = {
  agentId: SCOPE.agentId,
  storage: SCOPE.storage,
  interrupted: 'tell-model',
  waitForToolsMs: 20,
} as const
const { conversationId } = SCOPE
const spoken = {
  parentId: null,
  limits: { maxSteps: 1, retries: 1 },
  message: { id: 'm', role: 'system', parts: [{ type: 'text', text: 'Obey.' }] },
}

let names = 0

interface Damaged {
  readonly world: World
  /** Writes into the database behind the store's back. */
  damage(work: (stores: { rows: IDBObjectStore; records: IDBObjectStore }) => void): Promise<void>
  readonly ran: { count: number }
}

/** Two conversations whose page died while a call ran, the newer one about to be damaged. */
async function twoConversations(): Promise<Damaged> {
  const name = `broken-${++names}`
  const ran = { count: 0 }
  let hangs = true
  const put: SimTool = {
    descriptor: { annotations: { idempotent: true } },
    run: (): ToolOutcome | Promise<ToolOutcome> => {
      ran.count += 1
      if (hangs) return new Promise(() => undefined)
      return { status: 'succeeded', output: { type: 'text', value: 'ok' } }
    },
  }
  const turns = [{ calls: [{ tool: 'put', input: {} }] }, { text: 'done' }]
  const world = createWorld(turns, { put })
  world.store = await openIdbStore(name)
  for (const id of ['whole', conversationId]) {
    ran.count = 0
    const live = startLife(world)
    void live.host.startRun({ ...startCommand(`run-${id}`, 'go'), conversationId: id })
    await expect.poll(() => ran.count).toBe(1)
    live.life.dead = true
    world.ahead += 1000
  }
  world.page = new SimPage(world.tools)
  hangs = false
  ran.count = 0
  const damage: Damaged['damage'] = async (work) => {
    const db = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open(databaseName(name))
      request.onsuccess = () => resolve(request.result)
    })
    await new Promise((resolve) => {
      const tx = db.transaction(['rows', 'records'], 'readwrite')
      work({ rows: tx.objectStore('rows'), records: tx.objectStore('records') })
      tx.oncomplete = resolve
    })
    db.close()
  }
  return { world, damage, ran }
}

type Work = Parameters<Damaged['damage']>[0]

const damages: [string, number, RegExp, Work][] = [
  ['a row is missing', 1, /Row 3 is missing/, ({ rows }) => rows.delete([conversationId, 3])],
  ['the first row is missing', 0, /Row 1/, ({ rows }) => rows.delete([conversationId, 1])],
  ['the last row is missing', 3, /Row 4/, ({ rows }) => rows.delete([conversationId, 4])],
  [
    'a row came from a newer version',
    1,
    /newer Offstage/,
    ({ rows }) =>
      rows.put({ conversationId, seq: 3, format: 99, runId: null, at: 1, type: 'dreamt' }),
  ],
  [
    'the record has no rows',
    0,
    /Row 1/,
    ({ rows }) => rows.delete(IDBKeyRange.bound([conversationId, 0], [conversationId, 99])),
  ],
  [
    'the rows have no record',
    3,
    /record is missing/,
    ({ records }) => records.delete(conversationId),
  ],
  [
    'the record is garbage',
    3,
    /record can't be read/,
    ({ records }) => records.put({ format: FORMAT, conversationId, lastSeq: 'x' }),
  ],
]

describe.each(damages)('F28 a conversation in which %s', (_what, readable, fault, work) => {
  it('is quarantined: readable up to the fault, never resumed, deletable', async () => {
    const { world, damage, ran } = await twoConversations()
    await damage(work)
    const live = startLife(world)
    const { host } = live

    const stored = await host.library.getConversation(SCOPE)
    expect(stored?.broken).toMatch(fault)
    expect(stored?.messages).toHaveLength(readable)
    expect(stored?.pending).toEqual([])

    const refused = { code: 'conversation-broken' }
    await expect(host.resumeRun({ ...resume, conversationId })).rejects.toMatchObject(refused)
    await host.startRun({ ...startCommand('next', 'and?'), conversationId })
    expect(await live.ended()).toMatchObject({ outcome: 'failed', error: refused })
    await expect(host.library.clearHistory(SCOPE)).rejects.toMatchObject(refused)
    expect(ran.count).toBe(0)

    const isNewer = fault.source.startsWith('newer')
    const listed = (await host.library.listConversations(SCOPE)).find(
      (one) => one.conversationId === conversationId,
    )
    expect(listed?.broken !== undefined).toBe(!isNewer)
    expect(await host.library.deleteConversation(SCOPE)).toBe(true)
    expect((await host.library.listConversations(SCOPE)).map((one) => one.conversationId)).toEqual([
      'whole',
    ])

    // The name is free again.
    live.events.length = 0
    await host.startRun({ ...startCommand('fresh', 'go'), conversationId })
    expect(await live.ended()).toMatchObject({ outcome: 'completed', text: 'done' })
  })

  it('does not stop other conversations from being resumed', async () => {
    const { world, damage, ran } = await twoConversations()
    await damage(work)
    const live = startLife(world)
    expect(await live.host.resumeRun(resume)).toEqual({
      conversationId: 'whole',
      runId: 'run-whole',
    })
    expect(await live.ended()).toMatchObject({ outcome: 'completed', text: 'done' })
    expect(ran.count).toBe(1)
  })
})

const place = { conversationId, seq: 3, format: FORMAT, runId: 'run-c', at: 1, appendId: 'x' }

describe.each<[string, object, RegExp]>([
  [
    'lacks the fields of its fact',
    { ...place, type: 'model-output' },
    /step of a model-output row/,
  ],
  ['is of no fact that is known', { ...place, type: 'toString' }, /the type/],
  ['has a title of 31 MB', { ...place, type: 'renamed', title: 'x'.repeat(31e6) }, /title/],
  ['has a message in the role system', { ...place, ...spoken, type: 'run-started' }, /message/],
])('a stored row that %s', (_what, row, reason) => {
  it('is set aside, while its run ends without running calls, and the next works', async () => {
    const { world, damage, ran } = await twoConversations()
    await damage(({ rows }) => rows.put(row))
    const live = startLife(world)
    const { host } = live

    const stored = await host.library.getConversation(SCOPE)
    expect(stored?.setAside).toEqual([expect.stringMatching(reason)])
    expect(stored?.broken).toBeUndefined()
    expect(stored?.messages.map(({ role }) => role)).toEqual(['user'])

    await host.resumeRun({ ...resume, conversationId })
    expect(await live.ended()).toMatchObject({
      outcome: 'failed',
      error: { code: 'conversation-broken', message: expect.stringMatching(reason) },
    })
    expect(ran.count).toBe(0)

    live.events.length = 0
    const next = { ...startCommand('next', 'and?'), conversationId, ifBusy: 'queue' } as const
    await host.startRun(next)
    expect(await live.ended()).toMatchObject({ outcome: 'completed' })
    expect(await host.library.deleteConversation(SCOPE)).toBe(true)
  })
})

describe('a row lost while the conversation is in use', () => {
  it('is detected on the next read, and nothing more is appended', async () => {
    const { world, damage } = await twoConversations()
    const live = startLife(world)
    expect((await live.host.library.getConversation(SCOPE))?.broken).toBeUndefined()
    const other = startLife(world)
    await damage(({ rows }) => rows.delete([conversationId, 3]))
    expect((await other.host.library.getConversation(SCOPE))?.broken).toMatch(/Row 3/)
    await expect(live.host.resumeRun({ ...resume, conversationId })).rejects.toMatchObject({
      code: 'conversation-broken',
    })
  })
})
