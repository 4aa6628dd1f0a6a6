import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/protocol/fact.ts'
import { createMemoryStore } from '../../../src/worker/store/memory-store.ts'
import type { Store } from '../../../src/worker/store/store.ts'
import { KINDS } from './random-facts.ts'
import { codeOf, ended, newId, started, stores } from './store-support.ts'
import {
  agentOf,
  contentOf,
  fileOf,
  importInto,
  linesIn,
  write,
  writeRandom,
  IMPORTED,
} from './transfer-support.ts'
import { someOf } from '../more.ts'

const choice = fc.tuple(
  fc.constantFrom(...KINDS, 'context' as const, 'context' as const, 'branch' as const),
  fc.nat(11),
)

/** Fills the store without open runs, queued messages and consents, because an import would end them. */
async function fillStore(store: Store, lists: readonly (readonly (readonly [never, number])[])[]) {
  for (const [index, choices] of lists.entries()) {
    const id = `c${index}`
    const { run, queue, consents } = await writeRandom(store, id, choices)
    if (run?.end === null) await write(store, id, { ...ended(run.runId), at: 90 })
    for (const { id: messageId } of queue)
      await write(store, id, { type: 'message-withdrawn', messageId, runId: null, at: 90 })
    for (const { consentId } of consents)
      await write(store, id, { type: 'consent-revoked', consentId, runId: null, at: 91 })
  }
}

const says = (text: string) => [started(newId(), text), ended('r')] as const
const oneRun = (runId: string, text: string) => [started(runId, text), ended(runId)] as const

describe.each(stores)('conversations in the %s store', (_name, open) => {
  it('stay identical after an export and import into an empty store', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(choice, { maxLength: 25 }), { maxLength: 4 }),
        async (lists) => {
          const store = await open()
          await fillStore(store, lists as never)
          const file = await fileOf(agentOf(store))
          const other = await open()
          const report = await importInto(other, file)
          expect(report.refused).toEqual([])
          // A claim without rows is no conversation yet.
          const content = (await contentOf(store)) as { record: { lastSeq: number } }[]
          expect(await contentOf(other)).toEqual(content.filter(({ record }) => record.lastSeq > 0))
          expect(await fileOf(agentOf(other))).toBe(file)
        },
      ),
      { numRuns: someOf(100) },
    )
  })
})

describe('an export', () => {
  it("contains a conversation's child conversations after it", async () => {
    const store = createMemoryStore()
    const child = (path: string, childConversationId: string) =>
      ({
        type: 'child-started',
        path: [path],
        childConversationId,
        childRunId: 'x',
        runId: 'r',
        at: 3,
      }) as const
    const ofCall = (conversationId: string, toolCallId: string) => ({
      parent: { conversationId, runId: 'r', toolCallId },
    })
    // Rows may name any conversation. `other` is no child, `late` is one of a call that is not in the rows.
    await write(
      store,
      'top',
      ...oneRun('t', 'top'),
      child('a', 'mid'),
      child('a', 'gone'),
      child('a', 'other'),
    )
    await store.claim('mid', 1, ofCall('top', 'a'))
    await write(store, 'mid', ...oneRun('m', 'mid'), child('b', 'leaf'), child('b', 'top'))
    await store.claim('leaf', 1, ofCall('mid', 'b'))
    await write(store, 'leaf', ...oneRun('l', 'leaf'))
    await store.claim('late', 1, ofCall('top', 'z'))
    await write(store, 'late', ...oneRun('l', 'late'))
    await write(store, 'other', ...oneRun('o', 'other'))
    const file = await fileOf(agentOf(store), 'top')
    const ids = linesIn(file).flatMap((line) => JSON.parse(line).conversation?.conversationId ?? [])
    expect(ids).toEqual(['top', 'mid', 'leaf'])
    // Beside the originals, they name each other by their new ids.
    const report = await importInto(store, file)
    const to = Object.fromEntries(report.imported.map((each) => [each.from, each.to]))
    expect(new Set([...Object.values(to), 'top', 'mid', 'leaf']).size).toBe(6)
    const rows = (await store.read(to['top'] ?? '')).rows as readonly Row[]
    const named = rows.flatMap((row) =>
      row.type === 'child-started' ? row.childConversationId : [],
    )
    expect(named[0]).toBe(to['mid'])
    expect(await codeOf(fileOf(agentOf(store), 'nobody'))).toBe('conversation-not-found')
  })

  it('contains the beginning of a growing conversation, without later rows', async () => {
    const store = createMemoryStore()
    for (let n = 0; n < 40; n++) await write(store, 'c', ...oneRun(`r${n}`, `Say ${n}`))
    let reads = 0
    const growing: Store = {
      ...store,
      read: async (id, range) => {
        if (range?.limit !== undefined) await write(store, 'c', ...oneRun(`late${++reads}`, 'late'))
        return store.read(id, range)
      },
    }
    const file = await fileOf(agentOf(growing))
    expect(reads).toBeGreaterThan(2)
    expect(linesIn(file).length).toBe(1 + 1 + 82 + 1 + 1)
    const other = createMemoryStore()
    expect((await importInto(other, file)).refused).toEqual([])
    expect((await other.get('c'))?.lastSeq).toBe(83)
  })

  it('reads no more of the store than is consumed, and stops when cancelled', async () => {
    const store = createMemoryStore()
    for (let n = 0; n < 200; n++) await write(store, 'c', ...oneRun(`r${n}`, 'x'.repeat(100_000)))
    let reads = 0
    const counted: Store = {
      ...store,
      read: (id, range) => {
        reads += 1
        return store.read(id, range)
      },
    }
    const stream = await agentOf(counted).conversations.export()
    const reader = stream.getReader()
    expect(reads).toBe(0)
    await reader.read()
    const first = reads
    expect(first).toBeLessThan(4)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(reads).toBe(first)
    await reader.cancel()
    expect(reads).toBe(first)
  })

  it('contains and reports the readable part of a damaged conversation, but no deleted one', async () => {
    const store = createMemoryStore()
    await write(store, 'bad', ...oneRun('r', 'hi'), ...oneRun('s', 'again'))
    await write(store, 'gone', ...oneRun('r', 'hi'), ...oneRun('s', 'again'))
    for (let n = 0; n < 20; n++) await write(store, 'gone', ...oneRun(`r${n}`, 'on'))
    const damaged: Store = {
      ...store,
      read: async (id, range) => {
        const found = await store.read(id, range)
        if (id === 'gone' && (range?.after ?? 0) > 0) await store.delete('gone')
        return id === 'bad'
          ? { ...found, rows: found.rows.map((row, at) => (at === 2 ? {} : row)) }
          : found
      },
    }
    const file = await fileOf(agentOf({ ...damaged, read: damaged.read }))
    const other = createMemoryStore()
    const report = await importInto(other, file)
    expect(report.imported).toMatchObject([{ from: 'bad', broken: expect.stringMatching(/Row 3/) }])
    expect(report.refused).toMatchObject([
      { conversationId: 'gone', error: { code: 'conversation-not-found' } },
    ])
    expect((await other.get('bad'))?.lastSeq).toBe(3)
    expect(await other.get('gone')).toBeNull()
  })
})

describe('an import', () => {
  it('beside existing conversations gives new ids, and changes no existing one', async () => {
    const store = createMemoryStore()
    await write(store, 'a', ...says('one'))
    const before = await contentOf(store)
    const agent = agentOf(store)
    const file = await fileOf(agent)
    const [one, two] = await Promise.all([
      agent.conversations.import(file),
      agentOf(store).conversations.import(new Blob([file])),
    ])
    const ids = [...one.imported, ...two.imported].map(({ to }) => to)
    expect(new Set([...ids, 'a']).size).toBe(3)
    const after = (await contentOf(store)) as { record: { conversationId: string } }[]
    expect(after.filter(({ record }) => record.conversationId === 'a')).toEqual(before)
    expect((await agent.conversations.get(ids[0] ?? ''))?.messages).toHaveLength(1)
  })

  it('at the same time as another gives two complete conversations', async () => {
    const source = createMemoryStore()
    for (let n = 0; n < 700; n++) await write(source, 'c', ...oneRun(`r${n}`, 'hi'))
    const file = await fileOf(agentOf(source))
    const store = createMemoryStore()
    const agent = agentOf(store)
    const reports = await Promise.all([
      agent.conversations.import(file),
      agent.conversations.import(file),
    ])
    expect(reports.map(({ refused }) => refused)).toEqual([[], []])
    const { records } = await store.list()
    expect(records.map(({ lastSeq, broken }) => [lastSeq, broken])).toEqual([
      [1401, undefined],
      [1401, undefined],
    ])
    expect(records.map(({ conversationId }) => conversationId)).toContain('c')
  })

  it('ends open runs, settles calls, returns queued messages, and revokes consents', async () => {
    const store = createMemoryStore()
    const by = { definition: 'd', replayable: false, reconcilable: false }
    const at = { runId: 'r', at: 6 }
    const part = (toolCallId: string) =>
      ({ type: 'tool-call', toolCallId, toolName: 'pay', input: {} }) as const
    const facts = (toolCallId: string) => ({ toolCallId, known: true, parallel: false })
    await write(
      store,
      'c',
      {
        type: 'consent-given',
        consentId: 'ok',
        scope: { toolName: 'pay', definition: 'd', within: 'conversation' },
        runId: null,
        at: 2,
      },
      started('r', 'Pay'),
      {
        ...at,
        type: 'model-output',
        step: 1,
        attempt: 1,
        parentId: null,
        toolsId: 't',
        message: { role: 'assistant', id: 'm', parts: [part('p'), part('q')] },
        calls: [facts('p'), facts('q')],
        usage: {},
        finishReason: 'tool-calls',
        toolMode: 'native',
      },
      { ...at, type: 'call-started', path: ['p'], executionId: 'e', by, repeats: false },
      { ...at, type: 'approval-requested', path: ['q'], input: {}, by },
      { ...at, type: 'approval-answered', path: ['q'], approved: true },
      {
        ...at,
        type: 'message-queued',
        message: { id: 'w', parts: [{ type: 'text', text: 'And?' }] },
      },
    )
    const other = createMemoryStore()
    const agent = agentOf(other)
    expect((await agent.conversations.import(await fileOf(agentOf(store)))).refused).toEqual([])
    const rows = (await other.read('c', { after: 7 })).rows as readonly Row[]
    expect(rows).toMatchObject([
      { type: 'call-settled', path: ['p'], status: 'interrupted' },
      { type: 'call-settled', path: ['q'], status: 'aborted' },
      { type: 'message-withdrawn', messageId: 'w', returned: { id: 'w' } },
      { type: 'run-ended', runId: 'r', end: { outcome: 'aborted', reason: 'imported' } },
      { type: 'consent-revoked', consentId: 'ok', runId: null },
      IMPORTED,
    ])
    expect(await other.get('c')).toMatchObject({ openRunId: null, openCalls: [] })
    expect(await agent.resume('c')).toBeNull()
    expect(await agent.run('Go on', { conversationId: 'c' }).result).toMatchObject({
      outcome: 'completed',
    })
    // From here on, it is the identity.
    const again = createMemoryStore()
    await importInto(again, await fileOf(agent))
    expect(await contentOf(again)).toEqual(await contentOf(other))
  })

  it.each(['after-run', undefined] as const)(
    'returns queued messages (when: %s) although the run has ended',
    async (when) => {
      const store = createMemoryStore()
      const parts = [{ type: 'text', text: 'Wipe everything.' }] as const
      const message = { id: 'w', parts, ...(when && { when }) }
      await write(
        store,
        'c',
        started('r', 'Hi'),
        { type: 'message-queued', message, runId: 'r', at: 6 },
        ended('r'),
      )
      const other = createMemoryStore()
      const agent = agentOf(other)
      await agent.conversations.import(await fileOf(agentOf(store)))
      expect((await other.read('c', { after: 3 })).rows).toMatchObject([
        { type: 'message-withdrawn', runId: 'r', messageId: 'w', returned: { id: 'w', parts } },
        IMPORTED,
      ])
      const run = agent.run('Hello', { conversationId: 'c' })
      const { outcome, runId } = await run.result
      expect(outcome).toBe('completed')
      const rows = (await other.read('c', { after: 5 })).rows as readonly Row[]
      expect(new Set(rows.map((row) => row.runId))).toEqual(new Set([runId]))
      const stored = await agent.conversations.get('c')
      expect(JSON.stringify(stored?.messages)).not.toContain('Wipe')
    },
  )

  it('replaces a deleted conversation in its view, although id and time are equal', async () => {
    const store = createMemoryStore()
    await write(store, 'c', ...oneRun('r', 'old'))
    const agent = agentOf(store)
    const file = await fileOf(agent)
    const talk = agent.conversation('c')
    talk.subscribe(() => undefined)
    await agent.run('newer words', { conversationId: 'c' }).result
    await agent.conversations.delete('c')
    await agent.conversations.import(file)
    expect((await agent.conversations.get('c'))?.messages).toHaveLength(1)
  })
})

describe('a wipe', () => {
  it('deletes and counts all conversations, with their runs', async () => {
    const store = createMemoryStore()
    for (const id of ['a', 'b']) await write(store, id, ...says('x'))
    const agent = agentOf(store)
    const run = agent.run('Hi', { conversationId: 'c' })
    for await (const event of run) if (event.type === 'run-start') break
    expect(await agent.conversations.wipe()).toBe(3)
    expect((await store.list()).records).toEqual([])
    expect(await agent.conversations.wipe()).toBe(0)
    expect((await run.result).outcome).toMatch(/aborted|completed/)
  })
})
