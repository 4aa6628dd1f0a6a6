import { afterEach, expect, it } from 'vitest'
import type { Retention } from '../../../../src/protocol/conversation.ts'
import type { PageTab } from './world/page-tab.ts'
import { TALK } from './world/page-tab.ts'
import { TabsWorld } from './world/tabs-world.ts'

afterEach(() => TabsWorld.leave())

/** Start of the world's clock. */
const NOW = 1_000_000

/** Stores a finished conversation with one message, `ago` milliseconds before the world's start. */
async function put(
  { store }: TabsWorld,
  conversationId: string,
  ago: number,
  {
    parent,
    isOpen = false,
    text = 'Hello',
  }: { parent?: string; isOpen?: boolean; text?: string } = {},
): Promise<void> {
  const at = NOW - ago
  const message = { id: `${conversationId}-m`, parts: [{ type: 'text', text }] } as const
  const limits = { maxSteps: 10, retries: 3 }
  const runId = `${conversationId}-run`
  await store.place({
    conversationId,
    importId: `of-${conversationId}`,
    createdAt: at,
    updatedAt: at,
    ...(parent && { parent: { conversationId: parent, runId: 'r', toolCallId: 't' } }),
    after: 0,
    isLast: true,
    rows: [
      { type: 'run-started', runId, at, parentId: null, message, limits },
      ...(isOpen ? [] : [{ type: 'run-ended', runId, at, end: { outcome: 'completed' } } as const]),
    ],
  })
}

const retain = (tab: PageTab, retention: Retention) =>
  tab.host.retention.retainConversations({ ...tab.scope, retention })

const idsOf = async ({ store }: TabsWorld): Promise<string[]> =>
  (await store.list()).records.map(({ conversationId }) => conversationId).sort()

for (const locks of [true, false]) {
  it(`two tabs at once delete only the excess, and nothing twice (locks: ${locks})`, async () => {
    const world = new TabsWorld({ locks })
    const tabs = [world.tab('one'), world.tab('two')] as const
    await Promise.all(tabs.map((tab) => tab.list()))
    for (let n = 1; n <= 6; n += 1) await put(world, `c${n}`, 1000 * n)
    const dropped = await world.settled(
      Promise.all(tabs.map((tab) => retain(tab, { conversations: 4 }))),
    )
    expect(dropped.flat().map(({ conversationId }) => conversationId)).toEqual(['c6', 'c5'])
    expect(await idsOf(world)).toEqual(['c1', 'c2', 'c3', 'c4'])
    expect(await world.settled(retain(tabs[1], { conversations: 4 }))).toEqual([])
  })

  it(`conversations shown or driven in another tab are kept (locks: ${locks})`, async () => {
    const world = new TabsWorld({ locks })
    await put(world, TALK, 9000)
    await put(world, 'old', 8000)
    await put(world, 'new', 10)
    const one = world.tab('one')
    const two = world.tab('two').open()
    await world.run(3000)
    const dropped = await world.settled(retain(one, { conversations: 1 }))
    expect(dropped.map(({ conversationId }) => conversationId)).toEqual(['old', 'new'])
    expect(await idsOf(world)).toEqual([TALK])
    two.leave()
    await put(world, 'newer', 0)
    await world.run(3000)
    expect(await world.settled(retain(one, { conversations: 1 }))).toMatchObject([
      { conversationId: TALK, reason: 'conversations' },
    ])
  })

  it(`a run that another tab starts meanwhile continues (locks: ${locks})`, async () => {
    for (let begins = 0; begins < 1100; begins += 50) {
      const world = new TabsWorld({ locks })
      await put(world, TALK, 9000)
      await put(world, 'new', 10)
      const [one, two] = [world.tab('one'), world.tab('two')]
      await Promise.all([one.list(), two.list()])
      const retaining = retain(one, { conversations: 1 })
      await world.run(begins)
      two.start('run')
      const dropped = await world.settled(retaining)
      await world.until(() => two.ends.length > 0)
      expect([begins, two.ends]).toEqual([begins, ['completed']])
      expect(dropped.map(({ conversationId }) => conversationId)).not.toContain(
        begins < 1000 ? TALK : undefined,
      )
      TabsWorld.leave()
    }
  })
}

it('running, waiting, damaged and newer conversations are kept, and count', async () => {
  const world = new TabsWorld()
  const one = world.tab('one')
  await put(world, 'open', 9000, { isOpen: true })
  await put(world, 'damaged', 8000)
  await world.store.mark('damaged', 'A row is missing.')
  await put(world, 'old', 7000)
  await put(world, 'new', 10)
  const dropped = await world.settled(retain(one, { conversations: 3 }))
  expect(dropped.map(({ conversationId }) => conversationId)).toEqual(['old'])
  expect(await world.settled(retain(one, { conversations: 3, days: 30 }))).toEqual([])
  expect(await idsOf(world)).toEqual(['damaged', 'new', 'open'])
})

it('a parent and its child conversations are deleted together, by the newest of them', async () => {
  const world = new TabsWorld()
  const one = world.tab('one')
  await put(world, 'parent', 9000)
  await put(world, 'child', 100, { parent: 'parent' })
  await put(world, 'grandchild', 8000, { parent: 'child' })
  await put(world, 'other', 5000)
  await put(world, 'waiting', 9500)
  await put(world, 'its-child', 9500, { parent: 'waiting', isOpen: true })
  const first = await world.settled(retain(one, { conversations: 2 }))
  expect(first.map(({ conversationId }) => conversationId)).toEqual(['other'])
  const second = await world.settled(retain(one, { conversations: 1 }))
  expect(second.map(({ conversationId }) => conversationId)).toEqual(['parent'])
  expect(await idsOf(world)).toEqual(['its-child', 'waiting'])
})

it('days count from the last activity, bytes from the rows', async () => {
  const world = new TabsWorld()
  const one = world.tab('one')
  await put(world, 'ancient', 300_000)
  await put(world, 'big', 2000, { text: 'x'.repeat(5000) })
  await put(world, 'small', 1000)
  expect(await world.settled(retain(one, { days: 1 / 1440 }))).toMatchObject([
    { conversationId: 'ancient', title: 'Hello', reason: 'days' },
  ])
  expect(await world.settled(retain(one, { bytes: 6000 }))).toEqual([])
  await put(world, 'more', 500, { text: 'é'.repeat(500) })
  expect(await world.settled(retain(one, { bytes: 6000 }))).toMatchObject([
    { conversationId: 'big', reason: 'bytes' },
  ])
  expect(await idsOf(world)).toEqual(['more', 'small'])
})

it('a storage that refuses keeps everything and reports it', async () => {
  const world = new TabsWorld()
  const one = world.tab('one')
  await put(world, 'old', 9000)
  await put(world, 'new', 10)
  const { store } = world
  const claim = store.claim
  store.claim = () => Promise.reject(new Error('The disk is gone.'))
  await expect(world.settled(retain(one, { conversations: 1 }))).rejects.toThrow('The disk is gone')
  store.claim = claim
  expect(await idsOf(world)).toEqual(['new', 'old'])
  expect(await world.settled(retain(one, { conversations: 1 }))).toHaveLength(1)
})
