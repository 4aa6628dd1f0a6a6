import { afterEach, describe, expect, it } from 'vitest'
import type { ConversationSnapshot } from '../../../../src/conversation/snapshot.ts'
import { TabsWorld, type TabsWorldOptions } from './world/tabs-world.ts'

afterEach(() => TabsWorld.leave())

const TURNS: TabsWorldOptions['turns'] = [
  {
    reasoning: 'What is asked here?',
    text: 'I look it up.',
    calls: [
      { tool: 'look', input: { at: 'the shelf' } },
      { tool: 'look', input: { at: 'the floor' } },
    ],
  },
  { text: 'It is on the shelf, as always.' },
]
const tools = { look: { takes: 200, annotations: { readOnly: true } } }

type Content = Partial<ConversationSnapshot>

const wholeOf = (content: Content): string => JSON.stringify(content)

/** What the model has written so far. */
const writtenOf = ({ messages = [] }: Content): string =>
  JSON.stringify(
    messages.map(({ parts }) =>
      parts.map((part) => (part.type === 'text' || part.type === 'reasoning' ? part.text : '')),
    ),
  )

describe.each([
  ['Web Locks', true],
  ['messages', false],
])('with leases by %s', (_name, locks) => {
  it('a tab that shows a conversation shows what another one does in it, batch by batch', async () => {
    const world = new TabsWorld({ turns: TURNS, locks })
    const [one, two, three] = ['one', 'two', 'three'].map((name) => world.tab(name, { tools }))
    one!.open()
    two!.open()
    three!.open()
    await world.run(3000)
    one!.start('run')
    await world.until(() => one!.shown.status === 'running')
    await world.until(() => two!.text.length > 6)
    // Later, in the middle of the step.
    const late = world.tab('late', { tools }).open()
    await world.until(() => one!.shown.ended !== undefined)
    await world.run(1000)
    const whole = new Set(one!.seen.map(wholeOf))
    const written = new Set(one!.seen.map(writtenOf))
    for (const tab of [two!, three!, late]) {
      expect(tab.content).toEqual(one!.content)
      const batches = tab.seen.filter(({ run }) => run)
      expect(batches.length).toBeGreaterThan(10)
      expect(batches.filter((content) => !written.has(writtenOf(content)))).toEqual([])
      // Facts are read from the store: some of them before the driver's own page has them.
      const ahead = batches.filter((content) => !whole.has(wholeOf(content)))
      expect(ahead.length).toBeLessThan(4)
    }
    expect(one!.ends).toEqual(['completed'])
    expect(two!.text).toBe('It is on the shelf, as always.')
    expect(two!.shown).toMatchObject({ status: 'idle', ownership: 'none' })
  })
})
