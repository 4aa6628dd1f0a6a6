import { afterEach, describe, expect, it } from 'vitest'
import { TabsWorld } from './world/tabs-world.ts'
import { whileRunning, type ThreeTabs } from './world/three-tabs.ts'

afterEach(() => TabsWorld.leave())

const fields = {
  type: 'object',
  properties: { seats: { type: 'integer', minimum: 1 } },
  required: ['seats'],
}
const turns = [
  { calls: [{ tool: 'ask_user', input: { question: 'How many?', fields } }] },
  { text: 'That many, then.' },
]

const waiting = (locks: boolean): Promise<ThreeTabs> =>
  whileRunning(
    { turns, locks },
    { ask_user: { control: 'ask-user' } },
    ({ two }) => two.shown.status === 'waiting',
  )

const accept = (content: object) => ({ type: 'accept', content: { ...content } }) as const
const refusal = { code: 'invalid-input' }

describe.each([
  ['Web Locks', true],
  ['messages', false],
])('with leases by %s', (_name, locks) => {
  it('every tab shows the fields, and each may answer', async () => {
    const { world, one, two, three } = await waiting(locks)
    for (const { shown } of [one, two, three])
      expect(shown.pending).toMatchObject([{ kind: 'answer', question: { fields } }])
    expect(await world.settled(three.answer('c1-0-0', accept({ seats: 2 })), 500)).toBe(true)
    await world.until(() => one.ends.length > 0)
    expect(one.ends).toEqual(['completed'])
    await world.run(1000)
    for (const { shown } of [one, two, three])
      expect(shown.messages[1]).toMatchObject({
        calls: [{ status: 'succeeded', output: { type: 'json', value: { seats: 2 } } }],
      })
  })

  it('an invalid answer is refused in its own tab, and the question stays open', async () => {
    const { world, one, two, three } = await waiting(locks)
    for (const tab of [two, one]) {
      const wrong = tab.answer('c1-0-0', accept({ seats: 0 })).catch((error: unknown) => error)
      expect(await world.settled(wrong, 2000)).toMatchObject({
        ...refusal,
        details: { fields: [{ field: 'seats', problem: 'must be 1 or more' }] },
      })
    }
    await world.run(1000)
    for (const { shown } of [one, two, three]) expect(shown.status).toBe('waiting')
    expect(await world.settled(two.answer('c1-0-0', { type: 'decline' }), 500)).toBe(true)
    await world.until(() => one.ends.length > 0)
    expect(one.ends).toEqual(['completed'])
  })

  it('an invalid answer leaves the run free for other tabs', async () => {
    const { world, one, two } = await waiting(locks)
    const wrong = one.answer('c1-0-0', accept({})).catch((error: unknown) => error)
    expect(await world.settled(wrong, 500)).toMatchObject(refusal)
    await world.run(1000)
    one.freeze()
    // Three questions to the frozen tab, and no waiting for a lease that it holds for nothing.
    expect(await world.settled(two.answer('c1-0-0', accept({ seats: 3 })), 6000)).toBe(true)
  })

  it('when several tabs answer at once, one answer counts', async () => {
    const { world, one, two, three } = await waiting(locks)
    const counted = await world.settled(
      Promise.all([
        two.answer('c1-0-0', accept({ seats: 2 })),
        three.answer('c1-0-0', accept({ seats: 3 })),
        one.answer('c1-0-0', { type: 'cancel' }),
      ]),
      5000,
    )
    expect(counted.filter(Boolean)).toHaveLength(1)
    await world.until(() => one.ends.length > 0)
    const { rows } = await world.store.read('talk')
    const answers = rows.filter((row) => (row as { type: string }).type === 'question-answered')
    expect(answers).toHaveLength(1)
  })

  it('when the driving tab is gone, the answering tab resumes, unless its answer is invalid', async () => {
    const { world, one, two } = await waiting(locks)
    one.crash()
    const wrong = two.answer('c1-0-0', accept({ seats: 'two' })).catch((error: unknown) => error)
    expect(await world.settled(wrong, 20_000)).toMatchObject(refusal)
    expect(two.shown.ended).toBeUndefined()
    expect(await world.settled(two.answer('c1-0-0', accept({ seats: 2 })), 20_000)).toBe(true)
    await world.until(() => two.shown.ended !== undefined)
    expect(two.shown.ended).toMatchObject({ outcome: 'completed' })
  })
})
