import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DELETED } from '../../../src/protocol/run.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import type { Store } from '../../../src/worker/store/store.ts'
import { append, codeOf, ended, newId, started, stores } from './store-support.ts'
import { agentOf, fileOf, importInto, write } from './transfer-support.ts'
import { someOf } from '../more.ts'

/** A conversation that a call of another one started; `open`: its run has no end. */
async function child(
  store: Store,
  id: string,
  parentId: string,
  { open = false }: { readonly open?: boolean } = {},
): Promise<void> {
  const rows = open ? [started(`${id}-run`, id)] : [started(`${id}-run`, id), ended(`${id}-run`)]
  const parent = { conversationId: parentId, runId: 'r', toolCallId: 't' }
  const times = { createdAt: 1, updatedAt: 1 }
  await store.place({
    ...times,
    conversationId: id,
    importId: newId(),
    parent,
    after: 0,
    rows,
    isLast: true,
  })
}

const root = (store: Store, id: string) =>
  write(store, id, started(`${id}-run`, id), ended(`${id}-run`))

const idsOf = (records: readonly { readonly conversationId: string }[]): string[] =>
  records.map(({ conversationId }) => conversationId).toSorted()

describe.each(stores)('child conversations in the %s store', (_name, open) => {
  it('are deleted with their parent, and only they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        // For each conversation, the earlier one that started it. Its own index: none.
        fc.array(fc.nat(8), { minLength: 1, maxLength: 9 }),
        fc.nat(8),
        async (choices, choice) => {
          const store = await open()
          const parents = choices.map((each, index) => each % (index + 1))
          for (const [index, parent] of parents.entries()) {
            if (parent === index) await root(store, `c${index}`)
            else await child(store, `c${index}`, `c${parent}`)
          }
          const target = choice % parents.length
          const isUnder = (index: number): boolean => {
            const parent = parents[index] ?? index
            return index === target || (parent !== index && isUnder(parent))
          }
          const all = parents.map((_, index) => index)
          const tree = all.filter(isUnder).map((index) => `c${index}`)
          const others = all.filter((index) => !isUnder(index)).map((index) => `c${index}`)
          const found = await store.descendants(`c${target}`)
          expect([`c${target}`, ...found].toSorted()).toEqual(tree)
          expect(await store.delete(`c${target}`)).toBe(true)
          expect(idsOf((await store.list()).records)).toEqual(others)
          for (const id of tree) expect((await store.read(id)).rows).toEqual([])
          for (const id of others) expect((await store.read(id)).rows).not.toEqual([])
        },
      ),
      { numRuns: someOf(100) },
    )
  })

  it('stay if their parent does not exist', async () => {
    const store = await open()
    await child(store, 'left', 'gone')
    expect(await store.delete('gone')).toBe(false)
    expect(idsOf((await store.list()).records)).toEqual(['left'])
  })

  it("refuse their owner's writes after the deletion", async () => {
    const store = await open()
    await root(store, 'top')
    await child(store, 'below', 'top', { open: true })
    const { epoch } = await store.claim('below', 2)
    await store.delete('top')
    const late = append(store, { conversationId: 'below', epoch }, ended('below-run'))
    expect(await codeOf(late)).toBe('ownership-lost')
    expect((await store.list()).records).toEqual([])
  })

  it('are listed on request, or if their parent is gone', async () => {
    const store = await open()
    await root(store, 'top')
    await child(store, 'mid', 'top')
    await child(store, 'leaf', 'mid', { open: true })
    await child(store, 'left', 'gone', { open: true })
    const { conversations } = agentOf(store)
    expect(idsOf(await conversations.list())).toEqual(['left', 'top'])
    expect(idsOf(await conversations.list({ unfinished: true }))).toEqual(['left'])
    expect(idsOf(await conversations.list({ children: true }))).toEqual([
      'leaf',
      'left',
      'mid',
      'top',
    ])
    const unfinished = await conversations.list({ unfinished: true, children: true })
    expect(idsOf(unfinished)).toEqual(['leaf', 'left'])
    const undo = conversations.subscribe(() => undefined)
    await expect
      .poll(() => idsOf(conversations.getSnapshot()), { timeout: 20_000 })
      .toEqual(['left', 'top'])
    undo()
  })

  it('are resumed only by name', async () => {
    const store = await open()
    await root(store, 'top')
    await child(store, 'below', 'top', { open: true })
    const agent = agentOf(store)
    expect(await agent.resume()).toBeNull()
    expect((await (await agent.resume('below'))?.result)?.outcome).toBe('completed')
  })

  it('are aborted by name', async () => {
    const store = await open()
    await root(store, 'top')
    await child(store, 'below', 'top', { open: true })
    expect(await agentOf(store).conversation('below').abort('enough')).toBe(true)
    expect((await store.get('below'))?.openRunId).toBeNull()
  })

  it('keep their parent through an export and import of everything', async () => {
    const store = await open()
    await root(store, 'top')
    await child(store, 'below', 'top')
    const file = await fileOf(agentOf(store))
    const other = await open()
    expect((await importInto(other, file)).refused).toEqual([])
    expect(idsOf(await agentOf(other).conversations.list())).toEqual(['top'])
    // Beside the originals: each child is its own parent's.
    const { imported } = await importInto(other, file)
    const copy = imported.find(({ from }) => from === 'top')?.to ?? ''
    expect(copy).not.toBe('top')
    expect(await agentOf(other).conversations.delete(copy)).toBe(true)
    const { conversations } = agentOf(other)
    expect(idsOf(await conversations.list({ children: true }))).toEqual(['below', 'top'])
  })
})

describe.each(stores)('deleting conversations in the %s store', (_name, open) => {
  it('ends runs in child conversations, and shows them empty', async () => {
    const store = await open()
    await root(store, 'top')
    await child(store, 'below', 'top')
    // Longer than a test may take.
    const script = { paceMs: 50, fallback: [{ text: 'On and on. '.repeat(2000) }] }
    const agent = createTestAgent({ script, testStorage: { open: async () => store } })
    onTestFinished(() => agent.dispose())
    const talk = agent.conversation('below')
    talk.subscribe(() => undefined)
    await expect
      .poll(() => talk.getSnapshot().messages.length, { timeout: 20_000 })
      .toBeGreaterThan(0)
    const run = agent.run('And?', { conversationId: 'below' })
    for await (const event of run) if (event.type === 'run-start') break
    expect(await agent.conversations.delete('top')).toBe(true)
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: DELETED })
    expect((await store.list()).records).toEqual([])
    await expect.poll(() => talk.getSnapshot().messages, { timeout: 20_000 }).toEqual([])
    expect(talk.getSnapshot().status).toBe('idle')
  })

  it('works for parent and child at the same time', async () => {
    const store = await open()
    await root(store, 'top')
    await child(store, 'below', 'top')
    const { conversations } = agentOf(store)
    const done = await Promise.all([conversations.delete('below'), conversations.delete('top')])
    expect(done[1]).toBe(true)
    expect((await store.list()).records).toEqual([])
  })

  it('counts each conversation once when all are deleted', async () => {
    const store = await open()
    await root(store, 'top')
    await child(store, 'below', 'top')
    await root(store, 'other')
    const { conversations } = agentOf(store)
    expect(await conversations.wipe()).toBe(3)
    expect(await conversations.wipe()).toBe(0)
  })
})
