import { afterEach, expect, it } from 'vitest'
import { TabsWorld } from './world/tabs-world.ts'
import { threeTabs } from './world/three-tabs.ts'

afterEach(() => TabsWorld.leave())

const turns = [
  { text: 'I pay.', calls: [{ tool: 'pay', input: { sum: 3 } }] },
  { text: 'It is paid, and here is a longer text about it.' },
]

it('lists in other tabs reload when a call waits or is answered, not during text', async () => {
  const { world, one, two } = await threeTabs(
    { turns, locks: true },
    { pay: { needsApproval: true } },
  )
  const openCalls = async () =>
    (await two.host.library.listConversations(two.scope))[0]?.openCalls ?? []
  one.start('run')
  await world.until(() => two.shown.runId !== undefined)
  const begun = two.listChanges
  await world.until(() => two.shown.status === 'waiting')
  await world.run(100)
  const waiting = two.listChanges
  expect(waiting).toBeGreaterThan(begun)
  expect(await openCalls()).toEqual(['c1-0-0'])
  await world.settled(two.answer('c1-0-0', { type: 'approve' }), 500)
  await world.until(() => two.shown.messages.length > 3)
  await world.run(100)
  expect(two.shown.runId).toBe('run')
  const answered = two.listChanges
  expect(answered).toBeGreaterThan(waiting)
  expect(await openCalls()).toEqual([])
  await world.run(300)
  // Text is written, and nothing is stored of it.
  expect(two.shown.runId).toBe('run')
  expect(two.listChanges).toBe(answered)
  await world.until(() => one.ends.length > 0)
})
