import { afterEach, expect, it } from 'vitest'
import { TabsWorld } from './world/tabs-world.ts'
import { whileRunning } from './world/three-tabs.ts'

afterEach(() => TabsWorld.leave())

const turns = [{ text: 'This is a text that is long enough to be cut off in the middle of it.' }]

for (const locks of [true, false])
  for (const who of ['this', 'another'] as const)
    it(`a wipe in ${who} tab ends all runs, and every tab shows nothing (locks: ${locks})`, async () => {
      const { world, one, two, three } = await whileRunning({ turns, locks }, {})
      const wiping = who === 'this' ? one : two
      const count = await world.settled(wiping.host.library.wipeConversations(wiping.scope))
      expect(count).toBe(1)
      await world.until(() => one.ends.length > 0)
      expect(one.ends).toEqual(['deleted'])
      await world.run(15_000)
      expect((await world.store.list()).records).toEqual([])
      for (const tab of [one, two, three]) expect(tab.shown.messages).toEqual([])
      one.start('next')
      await world.until(() => one.ends.length > 1)
      expect((await world.store.list()).records).toHaveLength(1)
    })

for (const locks of [true, false])
  it(`when two tabs import the same conversation, the second gets a copy (locks: ${locks})`, async () => {
    const world = new TabsWorld({ locks })
    const [one, two] = [world.tab('one'), world.tab('two')]
    const row = (seq: number) => ({
      format: 2,
      seq,
      runId: null,
      at: 1,
      type: 'renamed',
      title: `T${seq}`,
    })
    const part = { createdAt: 1, updatedAt: 1 }
    const first = { ...part, after: 0, rows: [row(1)], isLast: false }
    const place = (tab: typeof one, command: object) =>
      world.settled(
        tab.host.imports.importRows({
          ...tab.scope,
          importId: `of-${tab.scope.agentId}`,
          ...part,
          ...(command as typeof first),
        }),
      )
    expect(await place(one, first)).toBe(true)
    expect(await place(two, first)).toBe(false)
    expect(await place(two, { ...first, isLast: true })).toBe(false)
    // Access is refused while the import is incomplete, whichever way the conversation is read.
    await world.settled(one.host.library.getConversation(one.scope))
    two.start('run')
    await world.until(() => two.ends.length > 0)
    expect(two.ends).toEqual([expect.stringMatching(/failed/)])
    expect(await place(one, { after: 1, rows: [row(2)], isLast: true })).toBe(true)
    expect((await world.store.list()).records).toMatchObject([{ lastSeq: 3, title: 'T2' }])
    expect((await world.store.list()).records[0]?.broken).toBeUndefined()
  })

it('an unfinished import of a closed tab is replaced by the next import', async () => {
  const world = new TabsWorld({ locks: true })
  const [one, two] = [world.tab('one'), world.tab('two')]
  const row = (seq: number) => ({
    format: 2,
    seq,
    runId: null,
    at: 1,
    type: 'renamed',
    title: `T${seq}`,
  })
  const part = { createdAt: 1, updatedAt: 1, after: 0, rows: [row(1)] }
  await world.settled(
    one.host.imports.importRows({ ...one.scope, ...part, importId: 'x', isLast: false }),
  )
  expect((await world.store.list()).records).toMatchObject([
    { broken: 'Its import was not finished.' },
  ])
  one.crash()
  await world.run(100)
  const again = { ...two.scope, ...part, importId: 'y', isLast: true }
  expect(await world.settled(two.host.imports.importRows(again))).toBe(true)
  expect((await world.store.list()).records).toMatchObject([{ lastSeq: 2, importId: 'y' }])
})

it('a worker without the first part refuses others, and released agents leave no partial import', async () => {
  const world = new TabsWorld({ locks: true })
  const [one, two] = [world.tab('one'), world.tab('two')]
  const row = (seq: number) => ({ format: 2, seq, runId: null, at: 1, type: 'renamed', title: 'T' })
  const part = { createdAt: 1, updatedAt: 1, importId: 'x', isLast: false }
  const first = { ...one.scope, ...part, after: 0, rows: [row(1)] }
  await world.settled(one.host.imports.importRows(first))
  one.crash()
  const next = { ...two.scope, ...part, after: 1, rows: [row(2)], isLast: true }
  const refused = two.host.imports.importRows(next).catch((error: { code: string }) => error.code)
  expect(await world.settled(refused)).toBe('ownership-lost')
  expect((await world.store.list()).records).toEqual([])
  await world.settled(two.host.imports.importRows({ ...first, ...two.scope, importId: 'y' }))
  expect((await world.store.list()).records).toHaveLength(1)
  two.host.releaseAgent(two.scope)
  await world.run(100)
  expect((await world.store.list()).records).toEqual([])
})
