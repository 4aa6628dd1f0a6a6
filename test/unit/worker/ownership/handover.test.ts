import { describe, expect, it } from 'vitest'
import type { Tab } from './world/tab.ts'
import { World } from './world/world.ts'

async function tabsOf(locks: boolean): Promise<{ world: World; one: Tab; two: Tab; three: Tab }> {
  const world = new World({ locks })
  const [one, two, three] = (await world.tabsOf('one', 'two', 'three')) as [Tab, Tab, Tab]
  await world.settled(one.acquire(), 500)
  return { world, one, two, three }
}

describe.each([
  ['Web Locks', true],
  ['messages', false],
])('a lease by %s', (_name, locks) => {
  it('is handed over to a tab that requests it, before waiting tabs', async () => {
    const { world, one, two, three } = await tabsOf(locks)
    let isHeir = false
    void three.inherit().then((is) => (isHeir = is))
    await world.run(1000)
    one.handsOver = true
    expect(await world.settled(two.askFor(), 500)).toBe(true)
    await world.run(60_000)
    expect(world.holders).toEqual(['two'])
    expect(isHeir).toBe(false)
    // The first tab agreed, so it counts no loss.
    expect(world.tabs.map(({ losses }) => losses)).toEqual([0, 0, 0])
  })

  it('stays with its holder when the holder refuses', async () => {
    const { world, one, two } = await tabsOf(locks)
    expect(await world.settled(two.askFor(), 500)).toBe(false)
    expect(world.holders).toEqual(['one'])
    expect(one.holds).toBe(true)
  })

  it('stays with its holder when the holder never decides, and the request ends', async () => {
    const { world, one, two } = await tabsOf(locks)
    one.handsOver = null
    expect(await world.settled(two.askFor(), 16_000)).toBe(false)
    expect(world.holders).toEqual(['one'])
    // The holder can be asked again.
    one.handsOver = true
    expect(await world.settled(two.askFor(), 500)).toBe(true)
  })

  it('is not handed over if its holder is frozen or missing, and the request ends', async () => {
    const { world, one, two } = await tabsOf(locks)
    one.freeze()
    expect(await world.settled(two.askFor(), 4000)).toBe(false)
    one.thaw()
    one.release()
    expect(await world.settled(two.askFor(), 4000)).toBe(false)
    expect(world.holders).toEqual([])
  })

  it('goes to one of two tabs that request it at once', async () => {
    const { world, one, two, three } = await tabsOf(locks)
    one.handsOver = true
    const both = Promise.all([two.askFor(), three.askFor()])
    expect((await world.settled(both, 5000)).toSorted()).toEqual([false, true])
    await world.run(5000)
    expect(world.holders).toHaveLength(1)
  })

  it('is free for others when the promised tab crashed', async () => {
    const { world, one, two, three } = await tabsOf(locks)
    one.handsOver = true
    const inherited = three.inherit()
    await world.run(1000)
    void two.askFor()
    await world.run(1)
    two.crash()
    expect(await world.settled(inherited, 10_000)).toBe(true)
    expect(world.holders).toEqual(['three'])
  })

  it('is requested again when messages are lost', async () => {
    const { world, one, two } = await tabsOf(locks)
    one.handsOver = true
    world.network.isCut = () => true
    const asked = two.askFor()
    await world.run(1500)
    world.network.isCut = () => false
    expect(await world.settled(asked, 1500)).toBe(true)
    await world.run(5000)
    expect(world.holders).toEqual(['two'])
  })
})

it('a request by the holder itself succeeds at once', async () => {
  const { world, one } = await tabsOf(true)
  expect(await world.settled(one.askFor(), 0)).toBe(true)
})
