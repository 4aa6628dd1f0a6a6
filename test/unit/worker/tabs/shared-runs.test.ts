import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { sleep } from '../../../../src/lib/sleep.ts'
import type { Row } from '../../../../src/protocol/fact.ts'
import type { Store } from '../../../../src/worker/store/store.ts'
import { type Line, lineTo } from './world/line.ts'
import { type PageTab, TALK } from './world/page-tab.ts'
import type { Turn } from './world/slow-model.ts'
import { TabsWorld } from './world/tabs-world.ts'
import { someOf } from '../../more.ts'

// Two devices at work on one conversation: whose run it is, when the way to the store fails, and who waits for whom.

afterEach(() => TabsWorld.leave())

const PAY: readonly Turn[] = [
  { text: 'I pay.', calls: [{ tool: 'pay', input: {} }] },
  { text: 'It is paid.' },
]

class Device {
  readonly line: Line
  tab: PageTab
  /** Tools that ran in tabs that are gone. */
  readonly ran: string[] = []
  readonly #open: () => PageTab

  constructor(world: TabsWorld, name: string, tools: PageTab['tools']) {
    this.line = lineTo(world.store)
    const device = { ...world.device(), store: this.line.store }
    let tabs = 0
    this.#open = () => world.tab(`${name}${++tabs}-`, { tools, device }).open()
    this.tab = this.#open()
  }

  reload(): void {
    this.ran.push(...this.tab.ran)
    this.tab.crash()
    this.tab = this.#open()
  }

  get allRan(): readonly string[] {
    return [...this.ran, ...this.tab.ran]
  }
}

interface Devices {
  readonly world: TabsWorld
  readonly desk: Device
  readonly phone: Device
}

interface DevicesOptions {
  readonly pay?: { readonly takes?: number; readonly needsApproval?: boolean }
  readonly turns?: readonly Turn[]
  readonly seed?: number
  /** Imitates an older version, which knows neither claim names nor conditions. */
  readonly isOlder?: boolean
}

async function devices({ pay, turns = PAY, seed = 1, isOlder }: DevicesOptions): Promise<Devices> {
  const world = new TabsWorld({ turns, seed })
  const { claim } = world.store
  const older: Store['claim'] = (id, at, { claimId: _name, ifEpoch: _if, ...options } = {}) =>
    claim(id, at, options)
  if (isOlder) Object.assign(world.store, { claim: older })
  const tools = { pay: { takes: 50, ...pay } }
  const all = { desk: new Device(world, 'desk', tools), phone: new Device(world, 'phone', tools) }
  await world.run(3000)
  return { world, ...all }
}

const rowsOf = async ({ store }: TabsWorld): Promise<readonly Row[]> =>
  (await store.read(TALK)).rows as readonly Row[]

const isInterrupted = (row: Row): boolean =>
  row.type === 'call-interrupted' || (row.type === 'call-settled' && row.status === 'interrupted')

const prompts = (tab: PageTab): string[] =>
  tab.shown.messages.flatMap(({ role, parts }) =>
    role === 'user' ? parts.map((part) => (part.type === 'text' ? part.text : '')) : [],
  )

describe.each([
  ['keeps the names of claims', false],
  ['is of an older version', true],
] as const)('in a store that %s', (_name, isOlder) => {
  it.each([
    ['shows the page on', false],
    ['is reloaded', true],
  ])(
    'an approval while offline does not take the run from the device that %s',
    async (_what, isReloaded) => {
      const all = await devices({ pay: { needsApproval: true, takes: 20_000 }, isOlder })
      const { world, desk, phone } = all
      desk.tab.start('run')
      await world.until(() => desk.tab.shown.pending.length === 1)
      await world.settled(phone.tab.resume())
      await world.until(() => phone.tab.shown.pending.length === 1)
      await world.run(1000)
      const { toolCallId } = desk.tab.shown.pending[0]!
      const approve = ({ tab }: Device) => tab.answer(toolCallId, { type: 'approve' })
      phone.line.cut = 'all'
      await world.settled(approve(phone).catch(() => null))
      await world.settled(approve(desk))
      await world.until(() => desk.tab.ran.length === 1)
      if (isReloaded) phone.reload()
      phone.line.restore()
      await world.run(1000)
      expect(await world.settled(phone.tab.resume())).toBeNull()
      expect(phone.tab.shown.ownership).toBe('other-device')
      await world.until(() => desk.tab.ends.length > 0, 100_000)
      expect(desk.tab.ends).toEqual(['completed'])
      expect([desk.tab.ran, phone.allRan]).toEqual([['pay'], []])
    },
  )

  it("a queued message starts after another device's run, however long", async () => {
    const { world, desk, phone } = await devices({ pay: { takes: 120_000 }, isOlder })
    desk.tab.start('run')
    await world.until(() => desk.tab.ran.length === 1)
    phone.tab.start('next', 'queue', 'And then?')
    await world.run(60_000)
    expect([phone.tab.ran, desk.tab.ends]).toEqual([[], []])
    await world.until(() => phone.tab.ends.length > 0, 500_000)
    expect([desk.tab.ends, phone.tab.ends]).toEqual([['completed'], ['completed']])
    expect([desk.tab.ran, phone.tab.ran]).toEqual([['pay'], ['pay']])
    expect(prompts(desk.tab)).toEqual(['Go.', 'And then?'])
  })

  it("messages queued on both devices don't take runs from each other", async () => {
    const { world, desk, phone } = await devices({ pay: { takes: 20_000 }, isOlder })
    desk.tab.start('run')
    await world.until(() => desk.tab.ran.length === 1)
    for (const at of [1, 2, 3]) {
      phone.tab.start(`phone${at}`, 'queue', `Phone ${at}.`)
      desk.tab.start(`desk${at}`, 'queue', `Desk ${at}.`)
      await world.run(700)
    }
    await world.until(() => desk.tab.ends.length === 4 && phone.tab.ends.length === 3, 2_000_000)
    expect(new Set([...desk.tab.ends, ...phone.tab.ends])).toEqual(new Set(['completed']))
    expect(prompts(desk.tab)).toHaveLength(7)
    expect([desk.tab.ran.length, phone.tab.ran.length]).toEqual([4, 3])
    expect((await rowsOf(world)).filter(isInterrupted)).toEqual([])
  })
})

it('a queued message leaves a waiting run on its device, and follows it', async () => {
  const { world, desk, phone } = await devices({ pay: { needsApproval: true } })
  desk.tab.start('run')
  await world.until(() => desk.tab.shown.pending.length === 1)
  phone.tab.start('next', 'queue', 'And then?')
  await world.run(60_000)
  const { toolCallId } = desk.tab.shown.pending[0]!
  expect(await world.settled(desk.tab.answer(toolCallId, { type: 'approve' }))).toBe(true)
  await world.until(() => phone.tab.shown.runId === 'next', 100_000)
  expect([desk.tab.ends, desk.tab.ran]).toEqual([['completed'], ['pay']])
})

it('a queued message waits for a closed device until a person takes its run over', async () => {
  const { world, desk, phone } = await devices({ pay: { takes: 20_000 } })
  desk.tab.start('run')
  await world.until(() => desk.tab.text.length > 2)
  desk.tab.crash()
  phone.tab.start('next', 'queue', 'And then?')
  await world.run(300_000)
  expect([phone.tab.ran, phone.tab.shown.ownership]).toEqual([[], 'other-device'])
  await world.settled(phone.tab.takeOver())
  await world.until(() => phone.tab.ends.length === 2, 300_000)
  expect(phone.tab.ends).toEqual(['completed', 'completed'])
  expect(prompts(phone.tab)).toEqual(['Go.', 'And then?'])
})

describe.each([0, 20, 75, 150])('with a latency of %s ms', (latency) => {
  const slow = async (options: DevicesOptions): Promise<Devices> => {
    const all = await devices(options)
    for (const { line } of [all.desk, all.phone]) line.latency = latency
    return all
  }

  it.each([
    ['approve', 'approve'],
    ['approve', 'deny'],
  ] as const)(
    'when two devices %s and %s at once, one wins and keeps the run',
    async (...answers) => {
      for (const apart of [0, 10, 60, 150, 250]) {
        const { world, desk, phone } = await slow({ pay: { needsApproval: true, takes: 5000 } })
        desk.tab.start('run')
        await world.until(() => desk.tab.shown.pending.length === 1, 60_000)
        await world.settled(phone.tab.resume())
        await world.until(() => phone.tab.shown.pending.length === 1, 60_000)
        await world.run(2000)
        const { toolCallId } = desk.tab.shown.pending[0]!
        const taken = [desk, phone].map(async ({ tab }, at) => {
          if (at === 1) await sleep(apart)
          return tab.answer(toolCallId, { type: answers[at]! })
        })
        const [first, second] = await world.settled(Promise.all(taken))
        expect([first, second].filter(Boolean)).toHaveLength(1)
        await world.run(60_000)
        expect((await world.store.get(TALK))?.openRunId).toBeNull()
        const rows = await rowsOf(world)
        expect(rows.filter(isInterrupted)).toEqual([])
        expect(desk.allRan.length + phone.allRan.length).toBeLessThan(2)
        TabsWorld.leave()
      }
    },
  )

  it("messages queued on both devices all run, without taking each other's run", async () => {
    const { world, desk, phone } = await slow({ pay: { takes: 2000 } })
    desk.tab.start('run')
    await world.until(() => desk.tab.ran.length === 1, 60_000)
    for (const at of [1, 2]) {
      phone.tab.start(`phone${at}`, 'queue', `Phone ${at}.`)
      desk.tab.start(`desk${at}`, 'queue', `Desk ${at}.`)
    }
    await world.until(() => desk.tab.ends.length === 3 && phone.tab.ends.length === 2, 2_000_000)
    expect(new Set([...desk.tab.ends, ...phone.tab.ends])).toEqual(new Set(['completed']))
    expect((await rowsOf(world)).filter(isInterrupted)).toEqual([])
  })
})

it("a message queued after another device's run can be withdrawn", async () => {
  const { world, desk, phone } = await devices({ pay: { takes: 20_000 } })
  desk.tab.start('run')
  await world.until(() => desk.tab.ran.length === 1)
  phone.tab.start('next', 'queue', 'And then?')
  await world.run(1000)
  expect(await world.settled(phone.tab.abort('next'))).toBe(true)
  await world.until(() => desk.tab.ends.length > 0, 100_000)
  await world.run(30_000)
  expect([desk.tab.ends, phone.tab.ends]).toEqual([['completed'], ['enough']])
  expect(prompts(desk.tab)).toEqual(['Go.'])
})

it('a command that waited offline stops nothing when another device is working', async () => {
  const { world, desk, phone } = await devices({ pay: { takes: 20_000 } })
  // The phone has claimed the conversation once. With the line cut, its next command has to wait.
  phone.tab.start('run')
  await world.until(() => phone.tab.ends.length === 1, 100_000)
  phone.line.cut = 'all'
  phone.tab.start('late', 'refuse', 'Late.')
  await world.run(1000)
  desk.tab.start('next', 'refuse', 'And then?')
  await world.until(() => desk.tab.ran.length === 1)
  phone.line.restore()
  await world.until(() => desk.tab.ends.length === 1, 100_000)
  expect([desk.tab.ends, phone.tab.ends]).toEqual([['completed'], ['completed', 'failed']])
  expect(prompts(desk.tab)).toEqual(['Go.', 'And then?'])
})

it('a queued message starts although a device claimed the conversation and vanished', async () => {
  const { world, phone } = await devices({})
  await world.store.claim(TALK, 1)
  phone.tab.start('next', 'queue')
  await world.until(() => phone.tab.ends.length > 0, 60_000)
  expect(phone.tab.ends).toEqual(['completed'])
})

it('a device whose claim succeeded without a response resumes its run', async () => {
  const { world, desk, phone } = await devices({ pay: { needsApproval: true } })
  desk.tab.start('run')
  await world.until(() => desk.tab.shown.pending.length === 1)
  await world.settled(phone.tab.resume())
  const { toolCallId } = desk.tab.shown.pending[0]!
  desk.line.cut = 'answers'
  await world.settled(desk.tab.answer(toolCallId, { type: 'approve' }).catch(() => null))
  desk.reload()
  desk.line.restore()
  await world.run(3000)
  expect(await world.settled(desk.tab.resume())).not.toBeNull()
  expect(desk.tab.shown.ownership).not.toBe('other-device')
})

it('a device resumes its run after an older copy of the store was restored', async () => {
  const { world, desk, phone } = await devices({ pay: { takes: 20_000, needsApproval: true } })
  desk.tab.start('run')
  await world.until(() => desk.tab.shown.pending.length === 1)
  const copy = (await world.store.get(TALK))!
  const { toolCallId } = desk.tab.shown.pending[0]!
  await world.settled(desk.tab.answer(toolCallId, { type: 'approve' }))
  await world.until(() => desk.tab.ran.length === 1)
  desk.reload()
  // The store's record determines the run's owner.
  const { get } = world.store
  Object.assign(world.store, { get: async () => copy })
  await world.run(3000)
  expect(desk.tab.shown.ownership).not.toBe('other-device')
  expect(phone.tab.shown.ownership).toBe('other-device')
  Object.assign(world.store, { get })
})

const ACTS = ['start', 'queue', 'approve', 'resume', 'cut', 'lose-answers', 'restore'] as const

interface Deed {
  readonly isPhone: boolean
  readonly act: (typeof ACTS)[number]
  readonly after: number
}

const deed: fc.Arbitrary<Deed> = fc.record({
  isPhone: fc.boolean(),
  act: fc.constantFrom(...ACTS),
  after: fc.oneof(fc.nat(20), fc.nat(4000)),
})

function does({ tab, line }: Device, act: Deed['act'], name: string): void {
  const quietly = (work: Promise<unknown>): void => void work.catch(() => undefined)
  switch (act) {
    case 'start':
      return tab.start(name)
    case 'queue':
      return tab.start(name, 'queue')
    case 'approve': {
      const [call] = tab.shown.pending
      return call && quietly(tab.answer(call.toolCallId, { type: 'approve' }))
    }
    case 'resume':
      return quietly(tab.resume())
    case 'cut':
      line.cut = 'all'
      return
    case 'lose-answers':
      line.cut = 'answers'
      return
    case 'restore':
      return line.restore()
    default:
      act satisfies never
  }
}

/** Approves what comes up, until nothing is open any more. */
async function settle({ world, desk, phone }: Devices): Promise<void> {
  for (const { line } of [desk, phone]) line.restore()
  await world.run(60_000)
  for (let quiet = 0, tries = 0; quiet < 2; tries++) {
    if (tries > 60) throw new Error('The devices come to no end.')
    const record = await world.store.get(TALK)
    quiet = record === null || record.openRunId === null ? quiet + 1 : 0
    // A person who looks at it, on either device.
    const device = tries % 2 === 0 ? desk : phone
    does(device, 'approve', '')
    if (tries % 10 === 9) await world.settled(device.tab.takeOver().catch(() => null))
    await world.run(30_000)
  }
}

it('whatever two devices do at once, nothing runs twice and no output is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(deed, { minLength: 4, maxLength: 14 }),
      fc.integer(),
      fc.boolean(),
      async (deeds, seed, needsApproval) => {
        const all = await devices({ seed, pay: { takes: 3000, needsApproval } })
        const { world, desk, phone } = all
        for (const [count, { isPhone, act, after }] of deeds.entries()) {
          does(isPhone ? phone : desk, act, `run${count}`)
          await world.run(after)
        }
        await settle(all)
        const rows = await rowsOf(world)
        const outputs = rows.filter(
          (row) => row.type === 'call-settled' && row.status === 'succeeded',
        )
        expect(rows.filter(isInterrupted)).toEqual([])
        expect(desk.allRan.length + phone.allRan.length).toBe(outputs.length)
      },
    ),
    {
      numRuns: Number(process.env['DEVICE_RUNS'] ?? someOf(60)),
      seed: Number(process.env['DEVICE_SEED'] ?? 1),
    },
  )
}, 600_000)
