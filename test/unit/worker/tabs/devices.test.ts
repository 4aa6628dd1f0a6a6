import { afterEach, expect, it } from 'vitest'
import { lineTo } from './world/line.ts'
import type { PageTab } from './world/page-tab.ts'
import type { Turn } from './world/slow-model.ts'
import { TabsWorld } from './world/tabs-world.ts'

// Two devices share a store, and nothing else: no lock and no message says what the other one does.

afterEach(() => TabsWorld.leave())

const PAY = [{ text: 'I pay.', calls: [{ tool: 'pay', input: {} }] }, { text: 'It is paid.' }]

interface Devices {
  readonly world: TabsWorld
  /** Two tabs of one device. */
  readonly desk: PageTab
  readonly second: PageTab
  readonly phone: PageTab
}

async function devices({
  turns = PAY,
  ...pay
}: {
  readonly takes?: number
  readonly needsApproval?: boolean
  readonly turns?: readonly Turn[]
} = {}): Promise<Devices> {
  const world = new TabsWorld({ turns })
  const tools = { pay: { takes: 50, ...pay } }
  const [desk, phone] = [world.device(), world.device()]
  const tab = (name: string, device: typeof desk): PageTab =>
    world.tab(name, { tools, device }).open()
  const all = { world, desk: tab('desk', desk), second: tab('second', desk) }
  const tabs = { ...all, phone: tab('phone', phone) }
  await world.run(3000)
  return tabs
}

const ranOn = ({ desk, second, phone }: Devices): readonly string[][] =>
  [desk, second, phone].map(({ ran }) => ran)

it('a device that shows the run of another one takes nothing over, whatever the time', async () => {
  const all = await devices({ takes: 120_000 })
  const { world, desk, phone } = all
  desk.start('run')
  await world.until(() => desk.ran.length === 1)
  await world.run(100_000)
  await world.until(() => desk.ends.length > 0)
  expect(desk.ends).toEqual(['completed'])
  expect([phone.inherited, phone.ends]).toEqual([0, []])
  expect(ranOn(all)).toEqual([['pay'], [], []])
})

it('a page that opens a conversation and resumes takes nothing over from another device, and shows whose it is', async () => {
  const all = await devices({ takes: 20_000 })
  const { world, desk, second, phone } = all
  desk.start('run')
  await world.until(() => desk.ran.length === 1)
  expect(await world.settled(phone.resume())).toBeNull()
  await world.until(() => phone.shown.ownership === 'other-device')
  expect(phone.shown.status).toBe('running')
  expect(second.shown.ownership).toBe('other-tab')
  expect(second.seen.map(({ ownership }) => ownership)).not.toContain('other-device')
  await world.until(() => desk.ends.length > 0)
  expect([desk.ends, phone.ends]).toEqual([['completed'], []])
  await world.until(() => phone.shown.ownership === 'none' && phone.shown.status === 'idle')
  expect(ranOn(all)).toEqual([['pay'], [], []])
})

it('a device that was reloaded goes on with its own run, and not with what another one took over', async () => {
  const world = new TabsWorld({ turns: PAY })
  const tools = { pay: { takes: 20_000 } }
  const [desk, phone] = [world.device(), world.device()]
  const tab = (name: string, device: typeof desk): PageTab =>
    world.tab(name, { tools, device }).open()
  const [first, other] = [tab('first', desk), tab('other', phone)]
  await world.run(3000)
  first.start('run')
  await world.until(() => first.text.length > 2)
  first.crash()
  const again = tab('again', desk)
  await world.run(3000)
  expect(await world.settled(again.resume())).not.toBeNull()
  await world.until(() => again.shown.ownership === 'this-tab')
  await world.settled(other.takeOver())
  await world.until(() => again.ends.length > 0, 60_000)
  again.crash()
  const last = tab('last', desk)
  await world.run(3000)
  expect(await world.settled(last.resume())).toBeNull()
  await world.until(() => other.ends.length > 0, 100_000)
  expect([again.ends, last.ends, other.ends]).toEqual([['taken-over'], [], ['completed']])
})

it('a run that another device has taken over is not taken back by other tabs of the first', async () => {
  const all = await devices({ takes: 120_000 })
  const { world, desk, second, phone } = all
  desk.start('run')
  await world.until(() => second.shown.status === 'running' && desk.text.length > 2)
  await world.settled(phone.takeOver())
  await world.until(() => phone.ran.length === 1 || phone.ends.length > 0)
  await world.run(60_000)
  await world.until(() => phone.ends.length > 0, 200_000)
  expect(phone.ends).toEqual(['completed'])
  expect([desk.inherited, second.inherited]).toEqual([0, 0])
  expect(desk.ends).toEqual(['taken-over'])
  expect(ranOn(all)).toEqual([[], [], ['pay']])
})

it('a device whose run another one takes over stops in the middle of an answer, which it would write for long', async () => {
  const { world, desk, second, phone } = await devices({
    turns: [{ text: 'Word by word. '.repeat(2000) }],
  })
  desk.start('run')
  await world.until(() => desk.text.length > 20)
  await world.settled(phone.takeOver())
  await world.until(() => desk.ends.length > 0, 5000)
  expect(desk.ends).toEqual(['taken-over'])
  await world.until(() => desk.shown.ownership === 'other-device')
  // The device's other tabs show this, too.
  await world.until(() => second.shown.ownership === 'other-device')
  expect(second.shown.status).toBe('running')
  expect(phone.shown.ownership).toBe('this-tab')
})

it('a device that is refused a run before it has heard of another one’s shows whose it is', async () => {
  const world = new TabsWorld({ turns: PAY })
  const tools = { pay: { takes: 20_000 } }
  const deaf = { ...world.store, follow: () => () => undefined }
  const desk = world.tab('desk', { tools, device: world.device() }).open()
  const phone = world.tab('phone', { tools, device: { ...world.device(), store: deaf } }).open()
  await world.run(3000)
  desk.start('run')
  await world.until(() => desk.ran.length === 1)
  expect(phone.shown.ownership).toBe('none')
  phone.start('another')
  await world.until(() => phone.ends.length > 0)
  expect(phone.shown).toMatchObject({ status: 'running', ownership: 'other-device' })
})

it('a device that was refused a run shows the runs that another one began since, though its view opens later', async () => {
  const world = new TabsWorld({ turns: [...PAY, { text: 'Hello.' }] })
  const tools = { pay: { takes: 5000 } }
  const desk = world.tab('desk', { tools, device: world.device() }).open()
  const phone = world.tab('phone', { tools, device: world.device() })
  const { shown } = phone.host
  const join = shown.join.bind(shown)
  let answer = (): void => undefined
  const isAnswered = new Promise<void>((resolve) => (answer = resolve))
  shown.join = (scope) => isAnswered.then(() => join(scope))
  phone.open()
  await world.run(3000)
  desk.start('run')
  await world.until(() => desk.ran.length === 1)
  phone.start('another')
  await world.until(() => phone.ends.length > 0)
  await world.until(() => desk.ends.length === 1, 30_000)
  desk.start('third')
  await world.until(() => desk.ends.length === 2)
  expect(await world.settled(phone.resume())).toBeNull()
  answer()
  await world.run(3000)
  expect(phone.shown.ended).toMatchObject({ outcome: 'completed', runId: 'third' })
  expect(phone.shown.unsent).toBeUndefined()
})

it('what is queued while the store is out of reach begins after the run that waits, once it is back', async () => {
  const world = new TabsWorld({ turns: PAY })
  const line = lineTo(world.store)
  const tab = world
    .tab('desk', {
      tools: { pay: { needsApproval: true } },
      device: { ...world.device(), store: line.store },
    })
    .open()
  await world.run(3000)
  tab.start('run')
  await world.until(() => tab.shown.pending.length === 1)
  await world.run(1000)
  line.cut = 'all'
  tab.start('next', 'queue', 'And then?')
  await world.run(1000)
  line.restore()
  await world.run(10_000)
  const { toolCallId } = tab.shown.pending[0]!
  expect(await world.settled(tab.answer(toolCallId, { type: 'approve' }))).toBe(true)
  await world.until(() => tab.shown.runId === 'next' && tab.shown.pending.length === 1, 300_000)
  expect(tab.ends).toEqual(['completed'])
  expect(tab.shown.parked).toBeUndefined()
})

it('a run that waits stays with its device, whatever another one is refused meanwhile', async () => {
  const all = await devices({ needsApproval: true })
  const { world, desk, phone } = all
  desk.start('run')
  await world.until(() => desk.shown.pending.length === 1)
  const refused = phone.host.library.clearHistory(phone.scope).then(
    () => 'cleared',
    (error: { readonly code: string }) => error.code,
  )
  expect(await world.settled(refused)).toBe('conversation-busy')
  await world.run(1000)
  expect(desk.ends).toEqual([])
  const { toolCallId } = desk.shown.pending[0]!
  await world.settled(desk.answer(toolCallId, { type: 'approve' }))
  await world.until(() => desk.ends.length > 0)
  expect(desk.ends).toEqual(['completed'])
  expect(ranOn(all)).toEqual([['pay'], [], []])
})

it('a call that waits on two devices is answered on one, which goes on with it, and the other one does not', async () => {
  const all = await devices({ needsApproval: true, takes: 10_000 })
  const { world, desk, phone } = all
  desk.start('run')
  await world.until(() => desk.shown.pending.length === 1)
  await world.settled(phone.resume())
  await world.until(() => phone.shown.pending.length === 1)
  const { toolCallId } = phone.shown.pending[0]!
  expect(await world.settled(phone.answer(toolCallId, { type: 'approve' }))).toBe(true)
  await world.until(() => phone.ends.length > 0, 100_000)
  await world.run(60_000)
  expect([phone.ends, desk.ends]).toEqual([['completed'], ['taken-over']])
  expect(ranOn(all)).toEqual([[], [], ['pay']])
})

it('a tab goes on with the run of another one of its device that is gone', async () => {
  const all = await devices({ takes: 20_000 })
  const { world, desk, second, phone } = all
  desk.start('run')
  await world.until(() => second.shown.status === 'running' && desk.text.length > 2)
  desk.crash()
  await world.until(() => second.inherited === 1, 100_000)
  await world.until(() => second.shown.ended !== undefined, 100_000)
  expect(phone.inherited).toBe(0)
  expect(ranOn(all)).toEqual([[], ['pay'], []])
})

it('what is refused on another device, since a run is open, stops nothing there', async () => {
  const all = await devices({ takes: 20_000 })
  const { world, desk, phone } = all
  desk.start('run')
  await world.until(() => desk.ran.length === 1)
  phone.start('other', 'refuse', 'Me, too.')
  await world.until(() => phone.ends.length > 0)
  await world.until(() => desk.ends.length > 0)
  expect([phone.ends, desk.ends]).toEqual([['failed'], ['completed']])
  expect(ranOn(all)).toEqual([['pay'], [], []])
})

it.each([0, 5, 20, 60, 200, 900])(
  'of two runs that two devices begin at once, the later claim %i ms on its way, none stays open',
  async (late) => {
    const all = await devices({ takes: 1000 })
    const { world, desk, phone } = all
    const { claim } = world.store
    let claims = 0
    const slowClaim: typeof claim = async (...given) => {
      // Both have looked by then whether anybody works on it.
      const ms = 10 + (++claims === 2 ? late : 0)
      await new Promise<void>((resolve) => world.clock.after(ms, resolve))
      return claim(...given)
    }
    Object.assign(world.store, { claim: slowClaim })
    desk.start('run')
    phone.start('other', 'refuse', 'Me, too.')
    await world.until(() => desk.ends.length > 0 && phone.ends.length > 0, 100_000)
    await world.until(() => desk.shown.status === 'idle' && phone.shown.status === 'idle', 100_000)
    expect(desk.shown.ended?.outcome).toBe('completed')
    expect(claims).toBeGreaterThan(1)
    expect(ranOn(all).flat()).toEqual(['pay'])
  },
)

it.each([0, 1, 2, 3, 5, 8, 13, 40])(
  'of a call that is approved on two devices at once, %i ms apart, one goes on',
  async (apart) => {
    const all = await devices({ needsApproval: true, takes: 1000 })
    const { world, desk, phone } = all
    desk.start('run')
    await world.until(() => desk.shown.pending.length === 1)
    await world.settled(phone.resume())
    await world.until(() => phone.shown.pending.length === 1)
    const { toolCallId } = phone.shown.pending[0]!
    const first = desk.answer(toolCallId, { type: 'approve' })
    await world.run(apart)
    const second = phone.answer(toolCallId, { type: 'approve' })
    const taken = await world.settled(Promise.all([first, second]))
    expect(taken.filter(Boolean)).toHaveLength(1)
    await world.until(() => phone.shown.ended !== undefined, 100_000)
    expect(phone.shown.ended?.outcome).toBe('completed')
    expect(ranOn(all).flat()).toEqual(['pay'])
  },
)
