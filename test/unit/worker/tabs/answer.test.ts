import { afterEach, describe, expect, it } from 'vitest'
import { TabsWorld } from './world/tabs-world.ts'
import { whileRunning, type ThreeTabs } from './world/three-tabs.ts'

afterEach(() => TabsWorld.leave())

const PAY = [
  { text: 'I pay.', calls: [{ tool: 'pay', input: { sum: 3 } }] },
  { text: 'It is paid.' },
]
const ASK = [
  { calls: [{ tool: 'ask_user', input: { question: 'Which one?' } }] },
  { text: 'That one, then.' },
]
const tools = { pay: { needsApproval: true }, ask_user: { control: 'ask-user' } } as const

const waiting = (turns: typeof PAY | typeof ASK, locks: boolean): Promise<ThreeTabs> =>
  whileRunning({ turns, locks }, tools, ({ two }) => two.shown.status === 'waiting')

describe.each([
  ['Web Locks', true],
  ['messages', false],
])('with leases by %s', (_name, locks) => {
  it('an approval in another tab reaches the driving tab, where its tools continue', async () => {
    const { world, one, two, three } = await waiting(PAY, locks)
    expect(two.shown.pending).toMatchObject([{ toolCallId: 'c1-0-0', kind: 'approval' }])
    // Nobody drives it: whoever is asked by then goes on.
    expect([one.shown.ownership, two.shown.ownership]).toEqual(['none', 'none'])
    expect(await world.settled(two.answer('c1-0-0', { type: 'approve' }), 500)).toBe(true)
    await world.until(() => one.ends.length > 0)
    expect(one.ends).toEqual(['completed'])
    expect([one.ran, two.ran, three.ran]).toEqual([['pay'], [], []])
    await world.run(1000)
    expect(two.content).toEqual(one.content)
    expect(two.ends).toEqual([])
  })

  it("an approval about page content is possible only in that page's tab", async () => {
    const press = { pay: { needsApproval: true, hasDescribe: true } } as const
    const begin = (): Promise<ThreeTabs> =>
      whileRunning({ turns: PAY, locks }, press, ({ two }) => two.shown.status === 'waiting')
    const { world, one, two } = await begin()
    expect(two.shown.pending).toMatchObject([
      { about: { text: 'on the page of one', onPage: true } },
    ])
    await expect(
      world.settled(two.answer('c1-0-0', { type: 'approve' }), 500),
    ).rejects.toMatchObject({ code: 'other-tab' })
    expect(two.shown.pending).toHaveLength(1)
    expect(await world.settled(one.answer('c1-0-0', { type: 'approve' }), 500)).toBe(true)
    await world.until(() => one.ends.length > 0)
    expect(one.ran).toEqual(['pay'])

    TabsWorld.leave()
    const other = await begin()
    expect(await other.world.settled(other.two.answer('c1-0-0', { type: 'deny' }), 500)).toBe(true)
  })

  it('a tab that resumes a call from another page requests approval for its own page', async () => {
    const press = { pay: { needsApproval: true, hasDescribe: true } } as const
    const { world, one, two } = await whileRunning(
      { turns: PAY, locks },
      press,
      ({ two: tab }) => tab.shown.status === 'waiting',
    )
    one.crash()
    // The approval was requested by a page that is gone, so this answer no longer applies.
    const taken = await world
      .settled(two.answer('c1-0-0', { type: 'approve' }), 60_000)
      .catch((error: { code?: string }) => error.code)
    expect(taken).not.toBe(true)
    await world.until(() => two.shown.pending[0]?.about?.text === 'on the page of two')
    expect(two.ran).toEqual([])
    expect(await world.settled(two.answer('c1-0-0', { type: 'approve' }), 500)).toBe(true)
    await world.until(() => two.ran.length > 0)
  })

  it('denials and answers to questions work from any tab', async () => {
    const { world, one, two } = await waiting(PAY, locks)
    const no = { type: 'deny', reason: 'Too much.' } as const
    expect(await world.settled(two.answer('c1-0-0', no), 500)).toBe(true)
    await world.until(() => one.ends.length > 0)
    await world.run(1000)
    expect(two.shown.messages[1]).toMatchObject({ calls: [{ status: 'denied' }] })

    TabsWorld.leave()
    const other = await waiting(ASK, locks)
    const said = { type: 'answer', text: 'The red one.' } as const
    expect(await other.world.settled(other.three.answer('c1-0-0', said), 500)).toBe(true)
    await other.world.until(() => other.one.ends.length > 0)
    expect(other.one.ends).toEqual(['completed'])
  })

  it('when several tabs answer at once, one answer counts', async () => {
    const { world, one, two, three } = await waiting(PAY, locks)
    const both = Promise.all([
      two.answer('c1-0-0', { type: 'approve' }),
      three.answer('c1-0-0', { type: 'deny' }),
      one.answer('c1-0-0', { type: 'deny' }),
    ])
    const counted = await world.settled(both, 5000)
    expect(counted.filter(Boolean)).toHaveLength(1)
    await world.until(() => one.ends.length > 0)
    const answers = (await world.store.read('talk')).rows.filter(
      (row) => (row as { type: string }).type === 'approval-answered',
    )
    expect(answers).toHaveLength(1)
  })

  it('when the driving tab is gone, the answering tab resumes the run', async () => {
    const { world, one, two, three } = await waiting(PAY, locks)
    one.crash()
    expect(await world.settled(two.answer('c1-0-0', { type: 'approve' }), 20_000)).toBe(true)
    await world.until(() => two.shown.ended !== undefined)
    expect(two.shown.ended).toMatchObject({ outcome: 'completed' })
    expect(two.ran).toEqual(['pay'])
    await world.run(1000)
    expect(three.content).toEqual(two.content)
  })

  it('an answer does not wait for a tab known to be gone', async () => {
    const { world, one, two } = await waiting(PAY, true)
    one.crash()
    expect(await world.settled(two.answer('c1-0-0', { type: 'approve' }), 500)).toBe(true)
    await world.until(() => two.ran.length > 0)
  })

  it('an answer does not wait for a tab that closes meanwhile', async () => {
    const { world, one, two } = await waiting(PAY, true)
    one.freeze()
    const answer = two.answer('c1-0-0', { type: 'approve' })
    await world.run(500)
    one.crash()
    expect(await world.settled(answer, 500)).toBe(true)
  })

  it('a tab that does not show the conversation asks the driver before it resumes', async () => {
    const { world, one } = await waiting(PAY, locks)
    const blind = world.tab('blind', { tools })
    await world.run(500)
    expect(await world.settled(blind.answer('c1-0-0', { type: 'approve' }), 1000)).toBe(true)
    await world.until(() => one.ends.length > 0)
    expect([one.ran, blind.ran]).toEqual([['pay'], []])
  })

  it('a refusal by the driving tab reaches the tab that answered', async () => {
    const { world, two } = await waiting(PAY, locks)
    expect(await world.settled(two.answer('no-such-call', { type: 'approve' }), 5000)).toBe(false)
  })

  it('an abort from another tab ends the run, also while a tool executes', async () => {
    const { world, one, two, three } = await whileRunning(
      { turns: [{ calls: [{ tool: 'slow', input: {} }] }], locks },
      { slow: { takes: 60_000 } },
      ({ one: { ran } }) => ran.length > 0,
    )
    expect(await world.settled(two.abort('run'), 2000)).toBe(true)
    await world.until(() => one.ends.length > 0)
    expect(one.ends).toEqual(['enough'])
    await world.run(1000)
    for (const tab of [one, two, three])
      expect(tab.shown).toMatchObject({ status: 'idle', ended: { reason: 'enough' } })
    expect(two.content).toEqual(one.content)
  })

  it('the outcome of an interrupted call can be given in any tab', async () => {
    const { world, one, two, three } = await whileRunning(
      { turns: [{ calls: [{ tool: 'slow', input: {} }] }, { text: 'Done.' }], locks },
      { slow: { takes: 60_000 } },
      ({ one: { ran } }) => ran.length > 0,
    )
    // Without tools, no other tab resumes the run by itself.
    two.tools = three.tools = {}
    two.host.toolsChanged({ agentId: 'agent-two' })
    three.host.toolsChanged({ agentId: 'agent-three' })
    await world.run(100)
    one.crash()
    await world.run(15_000)
    expect(two.shown).toMatchObject({ ownership: 'none', status: 'idle' })
    expect(await world.settled(two.resume('ask'))).toMatchObject({ runId: 'run' })
    await world.until(() => three.shown.status === 'waiting')
    const happened = { type: 'resolve', verdict: 'happened' } as const
    expect(await world.settled(three.answer('c1-0-0', happened), 5000)).toBe(true)
    await world.until(() => two.ends.length > 0)
    expect(two.ends).toEqual(['completed'])
  })
})
