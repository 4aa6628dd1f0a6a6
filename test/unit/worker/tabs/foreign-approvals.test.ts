import { afterEach, expect, it } from 'vitest'
import type { NewRow, Row, RowOf } from '../../../../src/protocol/fact.ts'
import type { PageTab } from './world/page-tab.ts'
import { TabsWorld } from './world/tabs-world.ts'
import { whileRunning } from './world/three-tabs.ts'

// Devices, or people, share a store. Each of them can write any row.

afterEach(() => TabsWorld.leave())

const PAY = { tool: 'pay', input: { to: 'shop' } }
const WORK = { tool: 'work', input: {} }
const TURNS = [{ text: 'I pay.', calls: [PAY] }, { text: 'It is paid.' }]
const TOOLS = { pay: { needsApproval: true, annotations: { destructive: true } } }

async function devices(turns = TURNS) {
  const world = new TabsWorld({ turns })
  const [victims, others] = [world.device(), world.device()]
  const tab = (name: string, device: typeof victims, tools: PageTab['tools'] = TOOLS): PageTab =>
    world.tab(name, { tools, device }).open()
  const victim = tab('victim', victims)
  const other = tab('other', others)
  await world.run(3000)
  return { world, victim, other }
}

async function question({ world }: { readonly world: TabsWorld }) {
  const { rows, record } = await world.store.read('talk')
  const asked = (rows as Row[]).findLast(
    (row): row is RowOf<'approval-requested'> => row.type === 'approval-requested',
  )!
  const forge = (row: object): Promise<unknown> =>
    world.store.append({
      conversationId: 'talk',
      epoch: record!.epoch,
      appendId: 'forged',
      order: record!.lastSeq + 1000,
      rows: [{ runId: 'run', at: 1, path: asked.path, ...row } as NewRow],
    })
  return { forge, by: asked.by, toolCallId: asked.path[0]! }
}

const EVIL = { to: 'evil' }

it.each<[string, (by: object) => object, boolean]>([
  ['an approval', () => ({ type: 'approval-answered', approved: true }), true],
  ['an edited approval', () => ({ type: 'approval-answered', approved: true, input: EVIL }), true],
  [
    'the start of a call that may be repeated',
    (by) => ({
      type: 'call-started',
      executionId: 'x:1',
      input: EVIL,
      by: { ...by, replayable: true },
      repeats: false,
    }),
    false,
  ],
])(
  '%s, when somebody else wrote its row, does not run the call after a takeover',
  async (_, row, isAsked) => {
    const all = await devices()
    const { world, victim, other } = all
    other.start('run')
    await world.until(() => victim.shown.pending.length === 1)
    const { forge, by, toolCallId } = await question(all)
    other.crash()
    await forge(row(by))
    await world.settled(victim.takeOver())
    await world.run(5000)
    expect(victim.ran).toEqual([])
    if (!isAsked) return expect(victim.ends).toEqual(['completed'])
    expect(victim.shown.pending).toMatchObject([{ toolCallId, kind: 'approval' }])
    expect(await world.settled(victim.answer(toolCallId, { type: 'approve' }))).toBe(true)
    await world.until(() => victim.ends.length > 0)
    expect(victim.ran).toEqual(['pay'])
  },
)

it('an approval, when somebody else writes its row into an open run, is requested again', async () => {
  const all = await devices()
  const { world, victim } = all
  victim.start('run')
  await world.until(() => victim.shown.pending.length === 1)
  const { forge, toolCallId } = await question(all)
  await forge({ type: 'approval-answered', approved: true, input: EVIL })
  await world.run(5000)
  await world.settled(victim.resume())
  await world.until(() => victim.shown.pending.length === 1)
  expect(victim.shown.pending).toMatchObject([{ toolCallId, kind: 'approval', input: EVIL }])
  expect(victim.ran).toEqual([])
})

it.each([false, true])(
  'a composite tool runs again after a reload of the same browser (shared store: %s)',
  async (isShared) => {
    const world = new TabsWorld({ turns: [{ text: 'I work.', calls: [WORK] }, { text: 'Done.' }] })
    const device = isShared ? { device: world.device() } : {}
    const work = { composite: true } as const
    const before = world
      .tab('before', { tools: { work: { ...work, takes: 60_000 } }, ...device })
      .open()
    await world.run(3000)
    before.start('run')
    await world.until(() => before.ran.length === 1)
    before.crash()
    const reloaded = world.tab('reloaded', { tools: { work }, ...device }).open()
    await world.run(3000)
    await world.settled(reloaded.resume())
    await world.until(() => reloaded.ends.length > 0)
    expect([reloaded.ran, reloaded.ends]).toEqual([['work'], ['completed']])
  },
)

it('an approval, given before a reload of the same browser, still runs the call', async () => {
  const { world } = await devices()
  const browser = world.device()
  // The start of the call never reaches the store.
  const append: typeof world.store.append = (given) =>
    given.rows.some(({ type }) => type === 'call-started')
      ? new Promise(() => undefined)
      : world.store.append(given)
  const before = world
    .tab('before', { tools: TOOLS, device: { ...browser, store: { ...world.store, append } } })
    .open()
  await world.run(3000)
  before.start('run')
  await world.until(() => before.shown.pending.length === 1)
  const { toolCallId } = await question({ world })
  expect(await world.settled(before.answer(toolCallId, { type: 'approve' }))).toBe(true)
  await world.run(1000)
  before.crash()
  const reloaded = world.tab('reloaded', { tools: TOOLS, device: browser }).open()
  await world.run(3000)
  await world.settled(reloaded.resume())
  await world.until(() => reloaded.ends.length > 0)
  expect([before.ran, reloaded.ran, reloaded.ends]).toEqual([[], ['pay'], ['completed']])
})

it('a consent to later calls, given on another device, does not count here', async () => {
  const pay = { needsApproval: true }
  const all = await devices([...TURNS, ...TURNS])
  const { world, victim, other } = all
  victim.tools = other.tools = { pay }
  other.start('run')
  await world.until(() => other.shown.pending.length === 1)
  const { toolCallId } = await question(all)
  await world.settled(other.answer(toolCallId, { type: 'approve', remember: 'conversation' }))
  await world.until(() => other.ends.length > 0)
  await world.until(() => victim.shown.consents.length === 1 && victim.shown.status === 'idle')
  victim.start('next')
  await world.until(() => victim.shown.pending.length === 1)
  expect(victim.ran).toEqual([])
})

it.each([true, false])(
  'an approval of what another tab described does not run the call on this page (locks: %s)',
  async (locks) => {
    const tools = { pay: { needsApproval: true, hasDescribe: true } } as const
    const { world, one, two } = await whileRunning(
      { turns: TURNS, locks },
      tools,
      (tabs) => tabs.two.shown.pending.length === 1,
    )
    await world.settled(two.resume())
    const [pending] = await shownAbout(world, one, 'on the page of two')
    await world.settled(one.answer(pending!.toolCallId, { type: 'approve' }))
    await shownAbout(world, one, 'on the page of one')
    expect([one.ran, two.ran]).toEqual([[], []])
    await world.settled(one.answer(pending!.toolCallId, { type: 'approve' }))
    await world.until(() => one.ends.length > 0)
    expect([one.ran, two.ran]).toEqual([['pay'], []])
  },
)

async function shownAbout(world: TabsWorld, tab: PageTab, text: string) {
  await world.until(() => tab.shown.pending[0]?.about?.text === text)
  return tab.shown.pending
}
