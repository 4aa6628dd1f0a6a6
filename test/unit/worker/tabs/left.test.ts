import { afterEach, describe, expect, it } from 'vitest'
import { FORMAT } from '../../../../src/protocol/fact.ts'
import type { ClaimOptions } from '../../../../src/worker/store/store.ts'
import { TabsWorld } from './world/tabs-world.ts'
import { whileRunning, type ThreeTabs } from './world/three-tabs.ts'

afterEach(() => TabsWorld.leave())

const LONG = 'A long answer that takes its time, word by word, until it is all there. '.repeat(3)
const TURNS = [{ text: 'I look.', calls: [{ tool: 'look', input: {} }] }, { text: LONG }]
const PAY = [{ text: 'I pay.', calls: [{ tool: 'pay', input: {} }] }, { text: 'Paid.' }]
const look = { look: { annotations: { readOnly: true } } }
const pay = { pay: { needsApproval: true } }
const writing = ({ two }: ThreeTabs): boolean => two.text.startsWith('A long answer')

/** Removes the other tabs' tools, so that none of them resumes the first tab's runs. */
async function withoutHeirs({ world, two, three }: ThreeTabs): Promise<void> {
  two.tools = three.tools = {}
  two.host.toolsChanged({ agentId: 'agent-two' })
  three.host.toolsChanged({ agentId: 'agent-three' })
  await world.run(100)
}

describe.each([
  ['Web Locks', true],
  ['messages', false],
])('with leases by %s', (_name, locks) => {
  it.each([
    ['begins', TURNS, ({ one }: ThreeTabs) => one.shown.runId !== undefined],
    ['writes', TURNS, writing],
    ['waits for a person', PAY, ({ two }: ThreeTabs) => two.shown.status === 'waiting'],
  ])(
    'a run whose agent is disposed while it %s looks the same in every tab',
    async (_when, turns, isThere) => {
      const tabs = await whileRunning({ turns, locks }, { ...look, ...pay }, isThere)
      const { world, one, two } = tabs
      await withoutHeirs(tabs)
      one.host.releaseAgent({ agentId: 'agent-one' })
      await world.until(() => one.ends.length > 0)
      expect(one.ends).toEqual(['disposed'])
      await world.run(500)
      const fresh = world.tab('fresh').open()
      await world.run(500)
      expect(fresh.shown).toMatchObject({ runId: 'run', ownership: 'none' })
      expect(fresh.shown.ended).toBe(undefined)
      expect(one.shown).toEqual(fresh.shown)
      expect(two.shown).toEqual(fresh.shown)
    },
  )

  it('a page that returns to a run of another tab follows it at once', async () => {
    const { world, one, two, three } = await whileRunning({ turns: TURNS, locks }, look)
    three.crash()
    one.crash()
    await world.until(() => two.shown.ownership === 'this-tab' && two.text.length > 20, 60_000)
    // Shows the conversation and asks for its run in either order.
    for (const isShownFirst of [true, false]) {
      const back = world.tab(`back-${isShownFirst}`)
      if (isShownFirst) back.open()
      await world.settled(back.returnTo('run'))
      if (!isShownFirst) back.open()
      await world.run(300)
      expect(back.ends).toEqual(['taken-over'])
      expect(back.shown).toMatchObject({ runId: 'run', status: 'running', ownership: 'other-tab' })
      expect(two.shown.ownership).toBe('this-tab')
      expect(two.text.startsWith(back.text)).toBe(true)
      expect(back.text.length).toBeGreaterThan(20)
    }
  })

  it.each([
    ['at once', 0],
    ['one after the other', 5],
  ])(
    'a thawed tab that gets missed messages %s shows nothing more of its own run',
    async (_how, pace) => {
      const { world, one, two } = await whileRunning({ turns: TURNS, locks }, look, writing)
      one.freeze()
      await world.until(() => two.shown.ended !== undefined, 90_000)
      const { text } = one
      one.thaw(pace)
      await world.run(1000)
      expect((await one.handles[0]!.run.result).text).toBe(text)
      expect(one.ends).toEqual(['taken-over'])
      expect(one.shown).toEqual(two.shown)
    },
  )

  it.each([
    ['the tab that drives its run', true],
    ['another tab', false],
  ])(
    'a conversation that %s deletes is shown everywhere as if it never existed',
    async (_who, isOwn) => {
      for (const isThere of [writing, ({ one }: ThreeTabs) => one.ends.length > 0]) {
        const { world, one, two } = await whileRunning({ turns: TURNS, locks }, look, isThere)
        const { host, scope } = isOwn ? one : two
        await world.settled(host.library.deleteConversation(scope))
        await world.run(1000)
        expect(one.ends).toEqual([isThere === writing ? 'deleted' : 'completed'])
        const fresh = world.tab('fresh').open()
        await world.run(500)
        for (const tab of [one, two]) expect(tab.shown).toEqual(fresh.shown)
        await world.run(30_000)
        for (const tab of [one, two]) expect(tab.shown).toEqual(fresh.shown)
        TabsWorld.leave()
      }
    },
  )
})

it('a thawed tab shows at once how its run ended elsewhere, despite lost messages', async () => {
  const turns = [{ calls: [{ tool: 'look', input: {} }] }, { text: 'Done.' }]
  const slow = { look: { takes: 20_000, annotations: { readOnly: true } } }
  const { world, one, two } = await whileRunning({ turns }, slow, (tabs) => tabs.one.ran.length > 0)
  one.freeze()
  world.network.isCut = (_from, to) => to === one
  await world.until(() => two.shown.ended !== undefined, 90_000)
  await world.run(1000)
  one.thaw()
  world.network.isCut = () => false
  await world.run(1000)
  expect(one.ends).toEqual(['taken-over'])
  expect(one.shown).toEqual(two.shown)
})

it('a tab whose run a newer version took over reports that it must be reloaded', async () => {
  const { world, one, two } = await whileRunning({ turns: TURNS }, look, writing)
  const { read, append } = world.store
  const format = FORMAT + 1
  world.store.read = async (conversationId, after) => {
    const { record, rows } = await read(conversationId, after)
    const seq = record!.lastSeq + 1
    const newer = {
      format,
      conversationId,
      seq,
      runId: 'run',
      at: 0,
      appendId: 'newer',
      type: 'new',
    }
    return { record: { ...record!, format, lastSeq: seq }, rows: [...rows, newer] }
  }
  world.store.append = async (facts) => {
    await world.store.claim(facts.conversationId, 0)
    return append(facts)
  }
  await world.until(() => one.ends.length > 0)
  await world.run(100)
  expect(one.ends).toEqual(['taken-over'])
  for (const tab of [one, two])
    expect(tab.shown.error).toMatchObject({
      code: 'conversation-broken',
      message: expect.stringMatching(/reload/) as string,
    })
})

describe.each([
  ['of this browser', false],
  ['that devices share', true],
])('a run in a store %s', (_name, isShared) => {
  it('resumes by itself when its lease was lost to a closed tab', async () => {
    const world = new TabsWorld({ turns: PAY })
    const device = world.device()
    const { claim } = world.store
    let named: ClaimOptions | undefined
    world.store.claim = (id, at, options) => claim(id, at, (named = options))
    const tools = { pay: { takes: 20_000 } }
    const tab = world.tab('one', { tools, ...(isShared && { device }) }).open()
    await world.run(3000)
    tab.start('run')
    await world.until(() => tab.ran.length === 1)
    const { claimId } = named ?? {}
    await world.store.claim('talk', 1, { ...(claimId && { claimId, attempt: 'of a tab' }) })
    await world.until(() => tab.ends.length > 0, 60_000)
    expect(tab.ends).toEqual(['taken-over'])
    await world.until(() => tab.shown.ended !== undefined, 60_000)
    expect(tab.shown).toMatchObject({ status: 'idle', ended: { outcome: 'completed' } })
    expect([tab.inherited, tab.ran]).toEqual([1, ['pay']])
  })
})
