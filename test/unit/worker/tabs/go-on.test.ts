import { afterEach, describe, expect, it } from 'vitest'
import type { Row } from '../../../../src/protocol/fact.ts'
import { TabsWorld } from './world/tabs-world.ts'
import { threeTabs, type ThreeTabs } from './world/three-tabs.ts'

afterEach(() => TabsWorld.leave())

const LOOK = { calls: [{ tool: 'look', input: {} }] }
/** A run of one step: it is over before a tab that waits for its lease asks whose it is. */
const TURNS = [LOOK, LOOK, LOOK, LOOK]
const look = { look: { takes: 10, annotations: { readOnly: true } } }

async function afterLimit(locks: boolean): Promise<ThreeTabs> {
  const tabs = await threeTabs({ turns: TURNS, locks }, look)
  tabs.one.start('run', 'refuse', 'Go.', 1)
  await tabs.world.until(() => tabs.one.ends.length > 0)
  expect(tabs.one.ends).toEqual(['max-steps'])
  await tabs.world.run(1000)
  return tabs
}

const runsOf = async ({ world }: ThreeTabs): Promise<number> =>
  ((await world.store.read('talk')).rows as Row[]).filter(({ type }) => type === 'run-started')
    .length

describe.each([
  ['Web Locks', true],
  ['messages', false],
])('with leases by %s', (_name, locks) => {
  it.each([0, 5, 30, 100])(
    'when two tabs continue a run %i ms apart, it continues once',
    async (ms) => {
      const tabs = await afterLimit(locks)
      const { world, one, two } = tabs
      const first = one.continue()
      await world.run(ms)
      // Pressed twice: the second one waits for the first.
      const others = [two.continue(), two.continue()]
      const refs = await world.settled(Promise.all([first, ...others]))
      await world.run(5000)
      expect(refs.filter((ref) => ref !== null)).toHaveLength(1)
      expect(await runsOf(tabs)).toBe(2)
    },
  )

  it.each([
    ['shows it', true],
    ['has not read it yet', false],
  ])('each tab continues from the last ended run, also one that %s', async (_which, isShown) => {
    const tabs = await afterLimit(locks)
    const { world, one, two } = tabs
    expect(await world.settled(one.continue())).not.toBe(null)
    await world.until(() => one.ends.length > 1)
    await world.run(1000)
    const other = isShown ? two : world.tab('fresh', { tools: look })
    expect(await world.settled(other.continue())).not.toBe(null)
    await world.until(() => other.ends.length > 0)
    expect(await runsOf(tabs)).toBe(3)
  })
})
