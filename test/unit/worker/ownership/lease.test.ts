import { describe, expect, it } from 'vitest'
import { World } from './world/world.ts'

/** Questions to a silent holder, and a little around them. */
const TAKEN_OVER_MS = 12_000

describe.each([
  ['Web Locks', true],
  ['messages', false],
])('a lease by %s', (_name, locks) => {
  it('has one holder, and a live holder is found with one message', async () => {
    const world = new World({ locks })
    const [one, two] = await world.tabsOf('one', 'two')
    expect(await world.settled(one!.acquire(), 500)).toBe(true)
    expect(await world.settled(two!.acquire(), 500)).toBe(false)
    expect(world.holders).toEqual(['one'])
    one!.release()
    expect(await world.settled(two!.acquire(), 500)).toBe(true)
    expect(world.holders).toEqual(['two'])
    expect([one!.losses, two!.losses]).toEqual([0, 0])
  })

  it('is free at once for the only tab', async () => {
    const world = new World({ locks })
    const [one] = await world.tabsOf('one')
    expect(await world.settled(one!.acquire(), 10)).toBe(true)
  })

  it('is granted to a waiting request when its holder leaves', async () => {
    const world = new World({ locks })
    const [one, two] = await world.tabsOf('one', 'two')
    await world.settled(one!.acquire(), 500)
    const acquired = two!.acquire()
    await world.run(250)
    one!.release()
    expect(await world.settled(acquired, 100)).toBe(true)
  })

  it('is taken over after 10 s of silence, and the holder notices when it wakes', async () => {
    const world = new World({ locks })
    const [one, two] = await world.tabsOf('one', 'two')
    await world.settled(one!.acquire(), 500)
    one!.freeze()
    const acquired = two!.acquire()
    await world.run(9000)
    expect(two!.holds).toBe(false)
    expect(await world.settled(acquired, TAKEN_OVER_MS - 9000)).toBe(true)
    expect(one!.losses).toBe(0)
    one!.thaw()
    await world.run(5000)
    expect(world.holders).toEqual(['two'])
    expect([one!.losses, two!.losses]).toEqual([1, 0])
  })

  it('is not taken over if the holder slept for less than that', async () => {
    const world = new World({ locks })
    const [one, two] = await world.tabsOf('one', 'two')
    await world.settled(one!.acquire(), 500)
    one!.freeze()
    const acquired = two!.acquire()
    await world.run(8000)
    one!.thaw()
    expect(await world.settled(acquired, 2000)).toBe(false)
    expect(world.holders).toEqual(['one'])
  })

  it('is acquired once, however often it is requested', async () => {
    const world = new World({ locks })
    const [one] = await world.tabsOf('one')
    const before = world.locks.requests
    const all = Promise.all([one!.acquire(), one!.acquire(), one!.acquire()])
    expect(await world.settled(all, 500)).toEqual([true, true, true])
    expect(await world.settled(one!.acquire(), 0)).toBe(true)
    expect(world.locks.requests - before).toBe(locks ? 1 : 0)
    one!.release()
    one!.release()
    await world.run(100)
    expect(await world.settled(one!.acquire(), 500)).toBe(true)
  })

  it('goes to one of two tabs that request it at once', async () => {
    const world = new World({ locks })
    const tabs = await world.tabsOf('one', 'two', 'three')
    const acquired = Promise.all(tabs.map((tab) => tab.acquire()))
    expect((await world.settled(acquired, 3000)).filter(Boolean)).toHaveLength(1)
    expect(world.holders).toHaveLength(1)
    expect(tabs.map(({ losses }) => losses)).toEqual([0, 0, 0])
  })

  it('is free after a crash: at once if the browser knows, otherwise after the silence', async () => {
    const world = new World({ locks })
    const [one, two] = await world.tabsOf('one', 'two')
    await world.settled(one!.acquire(), 500)
    one!.crash()
    expect(await world.settled(two!.acquire(), locks ? 100 : TAKEN_OVER_MS)).toBe(true)
  })

  it('is free at once when its tab closed', async () => {
    const world = new World({ locks })
    const [one, two] = await world.tabsOf('one', 'two')
    await world.settled(one!.acquire(), 500)
    await world.settled(one!.close(), 100)
    expect(await world.settled(two!.acquire(), 500)).toBe(true)
  })

  it('stays with its holder when the machine sleeps', async () => {
    const world = new World({ locks })
    const [one, two] = await world.tabsOf('one', 'two')
    await world.settled(one!.acquire(), 500)
    const refused = two!.acquire()
    await world.run(100)
    for (const tab of world.tabs) tab.freeze()
    await world.run(3_600_000)
    // The waiting tab first: its timers are due before it reads a message.
    for (const tab of [two!, one!]) tab.thaw()
    expect(await world.settled(refused, 3000)).toBe(false)
    await world.run(5000)
    expect(world.holders).toEqual(['one'])
    expect(one!.losses).toBe(0)
  })

  it('is lost when the store fences its holder off', async () => {
    const world = new World({ locks })
    const [one, two] = await world.tabsOf('one', 'two')
    // Neither knows of the other.
    world.network.isCut = () => true
    await world.settled(one!.acquire(), 500)
    await world.run(20_000)
    await world.settled(two!.acquire(), TAKEN_OVER_MS)
    world.network.isCut = () => false
    await world.run(5000)
    expect(world.holders).toEqual(['two'])
    expect([one!.losses, two!.losses]).toEqual([1, 0])
  })
})

it('pages of an opaque origin, without Web Locks, hold leases', async () => {
  const world = new World()
  const one = world.tab('one', { isOpaque: true })
  expect(await world.settled(one.acquire(), 10)).toBe(true)
  expect(one.holds).toBe(true)
  one.release()
  expect(one.holds).toBe(false)
})

it('without locks and channels every tab holds its leases, and only epochs fence', async () => {
  const world = new World({ locks: false, channel: false })
  const tabs = [world.tab('one'), world.tab('two')]
  const acquired = Promise.all(tabs.map((tab) => tab.acquire()))
  expect(await world.settled(acquired, 0)).toEqual([true, true])
  expect(world.holders).toEqual(['one', 'two'])
})

it('a lock that the browser takes from a cached page is lost and requested again', async () => {
  const world = new World()
  const [one, two, three] = await world.tabsOf('one', 'two', 'three')
  await world.settled(one!.acquire(), 500)
  const waiting = two!.acquire()
  await world.run(10)
  for (const tab of [one!, two!]) {
    tab.freeze()
    world.locks.suspend(tab)
  }
  expect(await world.settled(three!.acquire(), 500)).toBe(true)
  await world.run(60_000)
  two!.thaw()
  // A request that is broken off is no silence of the holder.
  expect(await world.settled(waiting, 1000)).toBe(false)
  one!.thaw()
  await world.run(100)
  expect(world.tabs.map(({ losses }) => losses)).toEqual([1, 0, 0])
  expect(world.holders).toEqual(['three'])
})

it('a lock granted to a frozen tab and stolen meanwhile never counts as its lease', async () => {
  const world = new World()
  const [one, two, three] = await world.tabsOf('one', 'two', 'three')
  await world.settled(one!.acquire(), 500)
  const waiting = two!.acquire()
  await world.run(10)
  two!.freeze()
  one!.crash()
  expect(await world.settled(three!.acquire(), TAKEN_OVER_MS)).toBe(true)
  two!.thaw()
  expect(await world.settled(waiting, 1000)).toBe(false)
  await world.run(100)
  expect(world.holders).toEqual(['three'])
  expect(three!.losses).toBe(0)
})

describe('a lease by messages', () => {
  it('is free at once when its tab crashed a while ago', async () => {
    const world = new World({ locks: false })
    const [one, two] = await world.tabsOf('one', 'two')
    await world.settled(one!.acquire(), 500)
    await world.run(5000)
    one!.crash()
    await world.run(15_000)
    expect(await world.settled(two!.acquire(), 500)).toBe(true)
  })

  it('is not free for a tab that opens later', async () => {
    const world = new World({ locks: false })
    const [one] = await world.tabsOf('one')
    await world.settled(one!.acquire(), 500)
    const two = world.tab('two')
    expect(await world.settled(two.acquire(), 1000)).toBe(false)
    expect(world.holders).toEqual(['one'])
    expect(one!.losses).toBe(0)
  })

  it("goes to one of two tabs when one opens right after the other's request", async () => {
    const world = new World({ locks: false })
    const early = world.tab('early')
    const acquired = early.acquire()
    const late = world.tab('late')
    const both = Promise.all([acquired, late.acquire()])
    expect(await world.settled(both, 1000)).toEqual([true, false])
    expect([early.losses, late.losses]).toEqual([0, 0])
  })

  it('goes to the second requester when the first crashes', async () => {
    const world = new World({ locks: false })
    const [one, two] = await world.tabsOf('one', 'two')
    void one!.acquire()
    const acquired = two!.acquire()
    await world.run(100)
    one!.crash()
    expect(await world.settled(acquired, 5000)).toBe(true)
  })

  it('belongs to a tab that never knew the former holder', async () => {
    const world = new World({ locks: false, epochs: false })
    const [one, two] = await world.tabsOf('one', 'two')
    // Held a few times, so that the newcomer's count is lower.
    for (let time = 0; time < 5; time++) {
      await world.settled(one!.acquire(), 500)
      one!.release()
    }
    await world.settled(one!.acquire(), 500)
    await world.run(5000)
    one!.crash()
    await world.run(15_000)
    const three = world.tab('three')
    expect(await world.settled(three.acquire(), 500)).toBe(true)
    await world.run(5000)
    expect(await world.settled(two!.acquire(), 1000)).toBe(false)
    expect(world.holders).toEqual(['three'])
    expect(three.losses).toBe(0)
  })
})

it('with messages only, holders that never met agree on one, even without epochs', async () => {
  const world = new World({ locks: false, epochs: false })
  const tabs = await world.tabsOf('one', 'two', 'three')
  world.network.isCut = () => true
  for (const tab of tabs) await world.settled(tab.acquire(), 500)
  expect(world.holders).toHaveLength(3)
  world.network.isCut = () => false
  await world.run(5000)
  expect(world.holders).toHaveLength(1)
  expect(tabs.map(({ losses }) => losses).toSorted()).toEqual([0, 1, 1])
})
