import { afterEach, describe, expect, it } from 'vitest'
import { TabsWorld } from './world/tabs-world.ts'
import { threeTabs, whileRunning } from './world/three-tabs.ts'

afterEach(() => TabsWorld.leave())

const LONG = 'A long answer that takes its time, word by word, until it is all there. '.repeat(3)
const TURNS = [{ text: 'I look.', calls: [{ tool: 'look', input: {} }] }, { text: LONG }]
const look = { look: { annotations: { readOnly: true } } }
const PAY = [{ calls: [{ tool: 'pay', input: {} }] }, { text: 'Paid.' }]
const writing = ({ two }: { readonly two: { readonly text: string } }): boolean =>
  two.text.startsWith('A long answer')

describe.each([
  ['Web Locks', true],
  ['messages', false],
])('with leases by %s', (_name, locks) => {
  it.each(['closed', 'crashed', 'frozen'])(
    'a run whose tab is %s resumes in the next one',
    async (how) => {
      const { world, one, two, three } = await whileRunning({ turns: TURNS, locks }, look, writing)
      if (how === 'frozen') one.freeze()
      else one.crash()
      await world.until(() => two.shown.ended !== undefined, 60_000)
      expect(two.shown.ended).toMatchObject({ outcome: 'completed' })
      await world.run(1000)
      expect(two.text).toBe(LONG)
      expect(three.content).toEqual(two.content)
      expect((await world.store.get('talk'))?.epoch).toBe(2)
      one.thaw()
      await world.run(5000)
      if (how !== 'frozen') return
      // The handle ends, and the tab shows the progress that the other tab made.
      expect(one.ends).toEqual(['taken-over'])
      expect(one.content).toEqual(two.content)
    },
  )

  it('a tab that lacks a tool of the run is skipped', async () => {
    const { world, one, two, three } = await whileRunning({ turns: TURNS, locks }, look, writing)
    two.tools = {}
    two.host.toolsChanged({ agentId: 'agent-two' })
    await world.run(100)
    one.crash()
    await world.until(() => three.shown.ownership === 'this-tab', 60_000)
    await world.until(() => two.shown.ownership === 'other-tab')
    await world.until(() => three.shown.ended !== undefined, 60_000)
    await world.run(1000)
    expect(two.content).toEqual(three.content)
  })

  it('a page that is reloaded keeps its run', async () => {
    const { world, one, two } = await whileRunning({ turns: TURNS, locks }, look, writing)
    one.crash()
    await world.run(500)
    const again = world.tab('again', { tools: look }).open()
    const resumed = world.settled(again.resume(), 15_000)
    expect(await resumed).toMatchObject({ runId: 'run' })
    await world.until(() => again.ends.length > 0, 60_000)
    expect([again.ends, two.ends]).toEqual([['completed'], []])
  })

  it.each(['the model writes', 'a tool executes', 'it waits for a person'])(
    'a tab takes a run over on request, while %s',
    async (when) => {
      const isPay = when !== 'the model writes'
      const pay = { pay: { takes: 60_000, needsApproval: when === 'it waits for a person' } }
      const { world, one, two, three } = await whileRunning(
        { turns: isPay ? PAY : TURNS, locks },
        isPay ? pay : look,
        when === 'the model writes'
          ? writing
          : (tabs) => tabs.one.ran.length > 0 || tabs.two.shown.status === 'waiting',
      )
      await world.run(200)
      expect(await world.settled(two.takeOver(), 5000)).toMatchObject({ runId: 'run' })
      await world.run(1000)
      expect(one.ends).toEqual(['taken-over'])
      if (when === 'it waits for a person') {
        expect([one, two, three].map(({ shown }) => shown.ownership)).toEqual([
          'none',
          'none',
          'none',
        ])
        two.tools = { pay: {} }
        await world.settled(two.answer('c1-0-0', { type: 'approve' }), 5000)
      }
      await world.until(() => two.ends.length > 0, 60_000)
      expect(two.ends).toEqual(['completed'])
      await world.run(1000)
      expect(one.content).toEqual(two.content)
      expect(three.content).toEqual(two.content)
    },
  )

  it('a run without a driver is taken over at once', async () => {
    const { world, one, two, three } = await whileRunning({ turns: TURNS, locks }, look, writing)
    two.tools = three.tools = {}
    two.host.toolsChanged({ agentId: 'agent-two' })
    three.host.toolsChanged({ agentId: 'agent-three' })
    await world.run(100)
    one.crash()
    await world.until(() => two.shown.ownership === 'none')
    two.tools = look
    expect(await world.settled(two.takeOver(), locks ? 1000 : 12_000)).toMatchObject({
      runId: 'run',
    })
    await world.until(() => two.ends.length > 0, 60_000)
    expect(two.ends).toEqual(['completed'])
  })

  it('without an open run, there is nothing to take over', async () => {
    const { world, two } = await threeTabs({ locks })
    expect(await world.settled(two.takeOver(), 5000)).toBe(null)
  })

  it('when only another tab has a tool, the model is informed', async () => {
    const turns = [
      { text: LONG.slice(0, 80), calls: [{ tool: 'print', input: {} }] },
      { text: 'Done.' },
    ]
    const print = { print: { needsApproval: true } }
    const { world, one, two } = await whileRunning(
      { turns, locks },
      print,
      ({ two: { shown } }) => {
        return shown.status === 'waiting'
      },
    )
    two.tools = {}
    await world.settled(two.takeOver(), 5000)
    await world.settled(two.answer('c1-0-0', { type: 'approve' }), 5000)
    await world.until(() => two.ends.length > 0)
    const [call] =
      two.shown.messages[1]?.role === 'assistant' ? (two.shown.messages[1].calls ?? []) : []
    expect(call).toMatchObject({ status: 'failed' })
    expect(JSON.stringify(call?.output)).toContain('in another one that is open')
    expect(one.ran).toEqual([])
  })
})
