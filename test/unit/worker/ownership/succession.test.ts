import { describe, expect, it } from 'vitest'
import type { Tab } from './world/tab.ts'
import { World } from './world/world.ts'

/** A free lock and the heir's look at the store. */
const AT_ONCE_MS = 500
/** The last answer, the questions that follow it, and a little around them. */
const SILENT_MS = 14_000

interface Heirs {
  readonly world: World
  readonly holder: Tab
  readonly first: Tab
  readonly second: Tab
  /** Outcomes of waiting, by name, in order. */
  readonly ended: string[]
}

/** By their ids, the second one would be the first. */
async function heirsOf(locks: boolean): Promise<Heirs> {
  const world = new World({ locks })
  const [holder, first, second] = (await world.tabsOf('holder', 'zoe', 'amy')) as [Tab, Tab, Tab]
  await world.settled(holder.acquire(), 500)
  const ended: string[] = []
  for (const heir of [first, second]) {
    void heir.inherit().then((is) => ended.push(`${heir.name} ${is ? 'holds' : 'gave up'}`))
    await world.run(1000)
  }
  return { world, holder, first, second, ended }
}

describe.each([
  ['Web Locks', true],
  ['messages', false],
])('waiting tabs, by %s,', (_name, locks) => {
  it('leave a live holder alone', async () => {
    const { world, ended } = await heirsOf(locks)
    await world.run(120_000)
    expect(world.holders).toEqual(['holder'])
    expect(ended).toEqual([])
  })

  it('take over in queue order when the holder closes', async () => {
    const { world, holder, first, ended } = await heirsOf(locks)
    await world.settled(holder.close(), 100)
    await world.run(AT_ONCE_MS)
    expect(ended).toEqual(['zoe holds'])
    await world.run(60_000)
    expect(world.holders).toEqual(['zoe'])
    await world.settled(first.close(), 100)
    // The second one is the first in line by now.
    await world.run(AT_ONCE_MS)
    expect(ended).toEqual(['zoe holds', 'amy holds'])
  })

  it('take over when the holder crashes', async () => {
    const { world, holder, ended } = await heirsOf(locks)
    holder.crash()
    await world.run(locks ? AT_ONCE_MS : SILENT_MS)
    expect(ended).toEqual(['zoe holds'])
  })

  it('take over after 10 s of silence, and the holder notices when it wakes', async () => {
    const { world, holder, ended } = await heirsOf(locks)
    holder.freeze()
    await world.run(9000)
    expect(ended).toEqual([])
    await world.run(SILENT_MS - 9000)
    expect(ended).toEqual(['zoe holds'])
    holder.thaw()
    await world.run(5000)
    expect(world.holders).toEqual(['zoe'])
    expect(holder.losses).toBe(1)
  })

  it('leave a released lease alone if no run is open', async () => {
    const { world, holder, ended } = await heirsOf(locks)
    world.isRunOpen = false
    holder.release()
    await world.run(110_000)
    expect(world.holders).toEqual([])
    expect(ended).toEqual([])
    // Another run, whose holder crashes at once.
    expect(await world.settled(holder.acquire(), 1000)).toBe(true)
    world.isRunOpen = true
    await world.run(100)
    holder.crash()
    await world.run(locks ? AT_ONCE_MS : SILENT_MS)
    expect(ended).toEqual(['zoe holds'])
  })

  it("don't stop the holder from taking back what it released", async () => {
    const { world, holder } = await heirsOf(locks)
    world.isRunOpen = false
    for (let turn = 0; turn < 20; turn++) {
      holder.release()
      expect(await world.settled(holder.acquire(), 1000)).toBe(true)
    }
    expect(holder.losses).toBe(0)
  })

  it('give up their turn if unable to resume, and queue again when able', async () => {
    const { world, holder, first, second, ended } = await heirsOf(locks)
    first.isCapable = false
    await world.run(5000)
    await world.settled(holder.close(), 100)
    await world.run(5000)
    expect(ended).toEqual(['amy holds'])
    first.isCapable = true
    await world.run(5000)
    await world.settled(second.close(), 100)
    await world.run(AT_ONCE_MS)
    expect(ended).toEqual(['amy holds', 'zoe holds'])
  })

  it('skip the first in line when it is frozen or gone', async () => {
    const { world, holder, first, ended } = await heirsOf(locks)
    first.freeze()
    await world.run(100)
    holder.crash()
    await world.run(3 * SILENT_MS)
    expect(ended).toEqual(['amy holds'])
    first.thaw()
    await world.run(10_000)
    expect(world.holders).toEqual(['amy'])
    expect(ended).toEqual(['amy holds'])
    if (locks) expect(world.locks.waiting('offstage:durable:shop:talk')).toEqual([first])
  })

  it('wait in the order in which they queued', async () => {
    const { world, holder, first, second, ended } = await heirsOf(locks)
    // By its id the next one.
    const third = world.tab('abe')
    void third.inherit().then(() => ended.push('abe holds'))
    await world.run(1000)
    for (const tab of [holder, first, second]) {
      await world.settled(tab.close(), 100)
      await world.run(AT_ONCE_MS)
    }
    expect(ended).toEqual(['zoe holds', 'amy holds', 'abe holds'])
  })

  it('move to the end of the line after they were silent', async () => {
    const { world, holder, first, second, ended } = await heirsOf(locks)
    first.freeze()
    await world.run(SILENT_MS)
    first.thaw()
    await world.run(5000)
    for (const tab of [holder, second]) {
      await world.settled(tab.close(), 100)
      await world.run(AT_ONCE_MS)
    }
    expect(ended).toEqual(['amy holds', 'zoe holds'])
  })

  it('count only uninterrupted silence', async () => {
    const { world, holder, ended } = await heirsOf(locks)
    for (let time = 0; time < 4; time++) {
      holder.freeze()
      await world.run(7000)
      holder.thaw()
      await world.run(3000)
    }
    expect(ended).toEqual([])
    expect(holder.losses).toBe(0)
  })

  it('leave the line without a trace when aborted', async () => {
    const world = new World({ locks })
    const [holder, first, second] = (await world.tabsOf('holder', 'zoe', 'amy')) as [Tab, Tab, Tab]
    await world.settled(holder.acquire(), 500)
    const stop = new AbortController()
    const waiting = first.inherit(stop.signal)
    await world.run(1000)
    stop.abort()
    expect(await world.settled(waiting, 0)).toBe(false)
    const inherited = second.inherit()
    await world.run(1000)
    await world.settled(holder.close(), 100)
    expect(await world.settled(inherited, AT_ONCE_MS)).toBe(true)
    expect(world.holders).toEqual(['amy'])
    expect(await world.settled(first.inherit(stop.signal), 0)).toBe(false)
  })

  it('stop waiting when they get the lease by a request', async () => {
    const { world, holder, first, ended } = await heirsOf(locks)
    world.isRunOpen = false
    holder.release()
    await world.run(100)
    expect(await world.settled(first.acquire(), 1000)).toBe(true)
    await world.run(0)
    expect(ended).toEqual(['zoe holds'])
  })
})

it('a tab that waits twice counts once', async () => {
  const world = new World()
  const [holder, heir] = (await world.tabsOf('holder', 'heir')) as [Tab, Tab]
  await world.settled(holder.acquire(), 500)
  const both = Promise.all([heir.inherit(), heir.inherit()])
  await world.run(60_000)
  expect(world.locks.steals).toBe(0)
  holder.crash()
  expect(await world.settled(both, AT_ONCE_MS)).toEqual([true, true])
})
