import { afterEach, expect, it } from 'vitest'
import { lineTo } from './world/line.ts'
import type { PageTab } from './world/page-tab.ts'
import type { Turn } from './world/slow-model.ts'
import { TabsWorld } from './world/tabs-world.ts'
import type { Store } from '../../../../src/worker/store/store.ts'

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

it("a device that shows another device's run never takes it over by itself", async () => {
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

it("a page that resumes another device's run takes nothing over and shows the owner", async () => {
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

it('a reloaded device resumes its own run, but not one that another took over', async () => {
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

it('a run taken over by another device is not taken back', async () => {
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

it('a device whose run is taken over stops in the middle of its answer', async () => {
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

it("a device refused a run shows the other device's run even without notification", async () => {
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

it('a device refused a run shows later runs of others, even in a late view', async () => {
  const world = new TabsWorld({ turns: [...PAY, { text: 'Hello.' }] })
  const tools = { pay: { takes: 5000 } }
  const desk = world.tab('desk', { tools, device: world.device() }).open()
  const phone = world.tab('phone', { tools, device: world.device() })
  const { views: shown } = phone.host
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

it('a message queued while offline starts after the waiting run, once online again', async () => {
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
  expect(tab.shown.paused).toBeUndefined()
})

it('a waiting run stays with its device, whatever another device is refused', async () => {
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

it('a device takes a new run although the store is slow, once another device has ended its waiting run', async () => {
  const world = new TabsWorld({ turns: PAY })
  const tools = { pay: { needsApproval: true } }
  const { append, get, read } = world.store
  let [isOver, isSlow] = [false, false]
  const far: Partial<Store> = {
    read: async (...asked) => {
      isSlow = isOver
      return read(...asked)
    },
    get: async (id) => {
      if (isSlow) await new Promise<void>((resolve) => world.clock.after(20_000, resolve))
      return get(id)
    },
  }
  const ending: Partial<Store> = {
    append: (rows) => {
      isOver = rows.rows.some(({ type }) => type === 'run-ended')
      return append(rows)
    },
  }
  const tab = (name: string, store: Partial<Store>): PageTab =>
    world
      .tab(name, { tools, device: { ...world.device(), store: { ...world.store, ...store } } })
      .open()
  const [desk, phone] = [tab('desk', far), tab('phone', ending)]
  await world.run(3000)
  desk.start('run')
  await world.until(() => desk.shown.pending.length === 1)
  expect(await world.settled(phone.abort('run'))).toBe(true)
  await world.until(() => desk.shown.status === 'idle')
  expect(isSlow).toBe(true)
  desk.start('next')
  await world.until(() => desk.shown.runId === 'next' || desk.shown.unsent !== undefined, 200_000)
  expect(desk.shown.unsent).toBeUndefined()
  await world.until(() => desk.shown.pending.length === 1)
  expect(desk.ends).toEqual(['enough'])
})

it('a call waiting on two devices is answered on one, which alone resumes it', async () => {
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

it('a tab resumes the run of a closed tab on its device', async () => {
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

it('a run refused on another device does not stop the open run', async () => {
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
  'when two devices start runs at once, one claim %i ms late, none stays open',
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
  'when two devices approve a call %i ms apart, one resumes it',
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
