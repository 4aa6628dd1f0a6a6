import { afterEach, describe, expect, it } from 'vitest'
import type { RunEnd } from '../../../../src/protocol/fact.ts'
import { TabsWorld } from './world/tabs-world.ts'
import { type ThreeTabs, whileRunning } from './world/three-tabs.ts'

afterEach(() => TabsWorld.leave())

const SLOW = [{ calls: [{ tool: 'slow', input: {} }] }, { text: 'It was slow.' }]
const PAY = [{ calls: [{ tool: 'pay', input: {} }] }, { text: 'Paid.' }]
const BOTH = [
  {
    calls: [
      { tool: 'slow', input: {} },
      { tool: 'pay', input: {} },
    ],
  },
  { text: 'Done.' },
]
const LONG = 'A long answer that takes its time, word by word, until it is all there. '.repeat(3)
const slow = { takes: 500 }
const pay = { needsApproval: true }
const approve = { type: 'approve' } as const
const deny = { type: 'deny' } as const

interface Fact {
  readonly type: string
  readonly runId: string | null
  readonly end?: RunEnd
}

const factsOf = async ({ world }: ThreeTabs, type: string): Promise<Fact[]> =>
  ((await world.store.read('talk')).rows as Fact[]).filter((row) => row.type === type)

/** How the runs ended, in the store. */
const endsOf = async (tabs: ThreeTabs): Promise<unknown[]> =>
  (await factsOf(tabs, 'run-ended')).map(({ end }) =>
    end?.outcome === 'aborted' ? end.reason : end?.outcome,
  )

async function after<T>({ world }: ThreeTabs, ms: number, act: () => Promise<T>): Promise<T> {
  await world.run(ms)
  return act()
}

describe.each([
  ['Web Locks', true],
  ['messages', false],
])('with leases by %s', (_name, locks) => {
  it.each([0, 2, 5, 10, 25, 60])(
    'an abort during a handover, %i ms apart, ends the run, whoever owns it',
    async (ms) => {
      const tabs = await whileRunning(
        { turns: SLOW, locks },
        { slow },
        ({ one: { ran } }) => ran.length > 0,
      )
      const { world, two, three } = tabs
      const taken = two.takeOver()
      const aborted = after(tabs, ms, () => three.abort('run'))
      expect(await world.settled(aborted, 10_000)).toBe(true)
      expect(await endsOf(tabs)).toEqual(['enough'])
      await world.settled(taken, 20_000)
      await world.run(5000)
      expect(await factsOf(tabs, 'model-output')).toHaveLength(1)
      expect(three.shown).toMatchObject({ status: 'idle', ended: { reason: 'enough' } })
    },
  )

  it.each([0, 2, 5, 10, 25, 60])(
    'a handover %i ms after an abort does not win over the abort',
    async (ms) => {
      const tabs = await whileRunning(
        { turns: SLOW, locks },
        { slow },
        ({ one: { ran } }) => ran.length > 0,
      )
      const { world, two, three } = tabs
      const aborted = three.abort('run')
      const taken = after(tabs, ms, () => two.takeOver())
      expect(await world.settled(aborted, 10_000)).toBe(true)
      expect(await endsOf(tabs)).toEqual(['enough'])
      await world.settled(taken, 20_000)
      await world.run(5000)
      expect(await endsOf(tabs)).toEqual(['enough'])
      expect(await factsOf(tabs, 'model-output')).toHaveLength(1)
    },
  )

  it.each([0, 50, 300, 1000])(
    "after a tab crash, an abort and an approval %i ms apart don't both win",
    async (ms) => {
      const tabs = await whileRunning(
        { turns: PAY, locks },
        { pay },
        ({ two }) => two.shown.status === 'waiting',
      )
      const { world, one, two, three } = tabs
      one.crash()
      const approved = two.answer('c1-0-0', approve)
      const aborted = after(tabs, ms, () => three.abort('run'))
      const [isApproved, isAborted] = await world.settled(Promise.all([approved, aborted]), 60_000)
      await world.run(5000)
      expect(await endsOf(tabs)).toEqual([isAborted ? 'enough' : 'completed'])
      expect(await factsOf(tabs, 'approval-answered')).toHaveLength(isApproved ? 1 : 0)
      if (!isApproved) expect([two.ran, three.ran]).toEqual([[], []])
    },
  )

  it.each([0, 2, 5, 10, 25, 60])(
    'an answer during a handover, %i ms apart, is accepted by the current owner',
    async (ms) => {
      const tabs = await whileRunning(
        { turns: PAY, locks },
        { pay },
        ({ two }) => two.shown.status === 'waiting',
      )
      const { world, two, three } = tabs
      const taken = two.takeOver()
      const answered = after(tabs, ms, () => three.answer('c1-0-0', approve))
      expect(await world.settled(answered, 10_000)).toBe(true)
      expect(await factsOf(tabs, 'approval-answered')).toHaveLength(1)
      await world.settled(taken, 20_000)
    },
  )

  it('when two tabs answer while the driver is frozen, only one answer counts', async () => {
    const tabs = await whileRunning(
      { turns: BOTH, locks },
      { slow: { takes: 60_000, parallelSafe: true }, pay },
      ({ one, two }) => one.ran.length > 0 && two.shown.pending.length > 0,
    )
    const { world, one, two, three } = tabs
    one.freeze()
    const answers = [two.answer('c1-0-1', approve), three.answer('c1-0-1', deny)]
    const counted = await world.settled(Promise.all(answers), 60_000)
    expect(counted.filter(Boolean)).toHaveLength(1)
    expect(await factsOf(tabs, 'approval-answered')).toHaveLength(1)
  })

  it('an answer whose driver dies before confirming goes to the next driver at once', async () => {
    const tabs = await whileRunning(
      { turns: PAY, locks },
      { pay },
      ({ two }) => two.shown.status === 'waiting',
    )
    const { world, one, two } = tabs
    const answered = two.answer('c1-0-0', approve)
    await world.until(() => world.posted.has('command-outcome'))
    one.crash()
    const again = world.tab('again', { tools: { pay } }).open()
    void again.resume()
    // Without Web Locks, a tab that crashed holds its lease until its silence says so.
    expect(await world.settled(answered, locks ? 2000 : 15_000)).toBe(true)
    expect(await factsOf(tabs, 'approval-answered')).toHaveLength(1)
  })

  it.each([0, 2, 5, 10, 25, 60])(
    'a run replaced during a takeover, %i ms later, is either replaced or resumes',
    async (ms) => {
      const tabs = await whileRunning({ turns: [{ text: LONG }], locks }, {})
      const { world, one, two } = tabs
      one.start('new', 'replace')
      const taken = after(tabs, ms, () => two.takeOver())
      await world.settled(taken, 20_000)
      await world.run(1000)
      const begun = (await factsOf(tabs, 'run-started')).map(({ runId }) => runId)
      expect(await endsOf(tabs)).toEqual(begun.length > 1 ? ['replaced'] : [])
    },
  )
})
