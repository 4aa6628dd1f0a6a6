import { afterEach, describe, expect, it } from 'vitest'
import { TabsWorld } from './world/tabs-world.ts'
import { whileRunning, type ThreeTabs } from './world/three-tabs.ts'

afterEach(() => TabsWorld.leave())

const TURNS = [{ calls: [{ tool: 'ask', input: {} }] }, { text: 'Done.' }]
const ask = { ask: { asks: true } } as const

/** The first tab's run waits for an agent that it called, and the others show it. */
const asking = (locks: boolean): Promise<ThreeTabs> =>
  whileRunning({ turns: TURNS, locks }, ask, ({ two, three }) =>
    [two, three].every(({ shown }) =>
      shown.messages.some(({ calls }) => calls?.[0]?.status === 'suspended'),
    ),
  )

describe.each([
  ['Web Locks', true],
  ['messages', false],
])('a run that waits for a child agent, with leases by %s', (_name, locks) => {
  it.each(['closed', 'frozen'])('resumes in one other tab when its own is %s', async (how) => {
    const { world, one, two, three } = await asking(locks)
    expect([one, two, three].map(({ shown }) => shown.status)).toEqual([
      'running',
      'running',
      'running',
    ])
    if (how === 'frozen') one.freeze()
    else one.crash()
    await world.until(() => two.inherited + three.inherited > 0, 60_000)
    await world.run(60_000)
    // With messages, who is first in line isn't said.
    const [heir, last] = two.inherited > 0 ? [two, three] : [three, two]
    expect([heir.inherited, last.inherited]).toEqual([1, 0])
    expect([two, three].map(({ shown }) => shown.status)).toEqual(['running', 'running'])
    heir.crash()
    await world.until(() => last.inherited > 0, 60_000)
    await world.run(60_000)
    expect(last.inherited).toBe(1)
    // The call was begun once.
    expect([two.ran, three.ran]).toEqual([[], []])
  })

  it('stays in its tab as long as the tab is alive', async () => {
    const { world, one, two, three } = await asking(locks)
    await world.run(200_000)
    expect([one.inherited, two.inherited, three.inherited]).toEqual([0, 0, 0])
  })

  it('stays in its tab after a reload', async () => {
    const { world, one, two, three } = await asking(locks)
    one.crash()
    await world.run(500)
    const again = world.tab('again', { tools: ask }).open()
    expect(await world.settled(again.resume(), 15_000)).toMatchObject({ runId: 'run' })
    await world.run(60_000)
    expect([two.inherited, three.inherited]).toEqual([0, 0])
  })

  it('skips a tab that lacks the agent', async () => {
    const { world, one, two, three } = await asking(locks)
    two.tools = {}
    two.host.toolsChanged({ agentId: 'agent-two' })
    await world.run(100)
    one.crash()
    await world.until(() => three.inherited > 0, 60_000)
    await world.run(60_000)
    expect([two.inherited, three.inherited]).toEqual([0, 1])
  })
})

it('a run that waits for a person has no driver, wherever it was resumed', async () => {
  const turns = [
    { calls: [{ tool: 'pay', input: {} }] },
    { text: 'It is paid, and that is all there is to say. '.repeat(9) },
  ]
  const pay = { pay: { needsApproval: true } }
  const { world, one, two, three } = await whileRunning(
    { turns },
    pay,
    ({ two: { shown } }) => shown.status === 'waiting',
  )
  const all = () => [one, two, three].map(({ shown }) => [shown.status, shown.ownership])
  const nobody = [one, two, three].map(() => ['waiting', 'none'])
  expect(all()).toEqual(nobody)
  await world.settled(two.resume(), 15_000)
  await world.settled(one.resume(), 15_000)
  await world.run(5000)
  expect(all()).toEqual(nobody)
  await world.settled(two.answer('c1-0-0', { type: 'approve' }), 5000)
  await world.until(() => two.shown.status === 'running')
  await world.until(() => one.shown.ownership === 'other-tab')
  expect(two.shown.ownership).toBe('this-tab')
  await world.until(() => three.shown.ended !== undefined)
  expect([one.ran, two.ran, three.ran]).toEqual([[], ['pay'], []])
})
