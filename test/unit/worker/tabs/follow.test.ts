import { afterEach, describe, expect, it } from 'vitest'
import type { ConversationSnapshot } from '../../../../src/conversation/snapshot.ts'
import { threeTabs, type ThreeTabs, whileRunning } from './world/three-tabs.ts'
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

/** The text that the model has written so far. */
const writtenOf = ({ messages = [] }: Content): string =>
  messages
    .flatMap(({ parts }) =>
      parts.map((part) => (part.type === 'text' || part.type === 'reasoning' ? part.text : '')),
    )
    .join('')

describe.each([
  ['Web Locks', true],
  ['messages', false],
])('with leases by %s', (_name, locks) => {
  it('a tab shows what another tab does in the conversation, batch by batch', async () => {
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

  it('a run started in one tab is followed by one in the other', async () => {
    const { world, one, two, three } = await threeTabs({ turns: TURNS, locks }, tools)
    one.start('first')
    await world.until(() => one.ends.length > 0)
    two.start('second')
    await world.until(() => two.shown.run?.runId === 'second' && two.text.length > 6)
    await world.until(() => one.shown.ownership === 'other-tab' && one.text.length > 6)
    await world.until(() => two.ends.length > 0)
    await world.run(1000)
    expect(two.ends).toEqual(['completed'])
    expect(one.content).toEqual(two.content)
    expect(three.content).toEqual(two.content)
    expect(one.shown.messages.filter(({ role }) => role === 'user')).toHaveLength(2)
  })

  it("a run refused during another tab's run does not change the view", async () => {
    const { world, one, two } = await whileRunning({ turns: TURNS, locks }, tools)
    two.start('second')
    await world.until(() => two.ends.length > 0)
    expect(two.ends).toEqual(['failed'])
    expect(two.shown).toMatchObject({ status: 'running', ownership: 'other-tab', runId: 'run' })
    expect(two.shown.messages.length).toBe(2)
    // The same in the tab that drives it: who comes later is shown what there is.
    one.start('third')
    await world.until(() => one.ends.length > 0)
    const late = world.tab('late', { tools }).open()
    await world.run(100)
    expect(late.text.length).toBeGreaterThan(6)
    await world.until(() => one.ends.length > 1)
    await world.run(1000)
    expect([two.content, late.content]).toEqual([one.content, one.content])
  })

  it('tool progress is shown in other tabs, also in one that opens later', async () => {
    const { world, one, two } = await whileRunning(
      { turns: TURNS, locks },
      { look: { takes: 5000 } },
      ({ one: { ran } }) => ran.length > 0,
    )
    one.progress('run', 'c1-0-0', { done: 3 })
    await world.run(100)
    const late = world.tab('late', { tools }).open()
    await world.run(500)
    for (const tab of [two, late])
      expect(tab.shown.messages[1]).toMatchObject({
        calls: [{ toolCallId: 'c1-0-0', progress: { done: 3 } }, {}],
      })
  })

  it('a conversation deleted, renamed or cleared elsewhere is updated in view and list', async () => {
    const { world, one, two } = await threeTabs({ turns: TURNS, locks }, tools)
    const before = two.listChanges
    one.start('run')
    await world.until(() => one.ends.length > 0)
    await world.run(1000)
    expect(two.listChanges).toBeGreaterThan(before)
    const listed = two.listChanges
    await one.host.library.renameConversation({ ...one.scope, title: 'Shelves' })
    await world.run(100)
    expect(two.listChanges).toBeGreaterThan(listed)
    expect(await two.host.library.listConversations(two.scope)).toMatchObject([
      { title: 'Shelves' },
    ])
    await world.settled(one.host.library.clearHistory(one.scope))
    await world.run(100)
    expect(two.shown.messages).toEqual([])
    one.start('again')
    await world.until(() => one.ends.length > 1)
    await world.run(1000)
    expect(two.shown.messages.length).toBeGreaterThan(1)
    await world.settled(one.host.library.deleteConversation(one.scope))
    await world.run(100)
    expect(two.shown).toMatchObject({ messages: [], status: 'idle' })
    expect(await two.host.library.listConversations(two.scope)).toEqual([])
  })

  it('a call has the title of its tool from its first character on, in every tab', async () => {
    const titled = { look: { ...tools.look, title: 'Look around' } }
    const { world, one, two } = await whileRunning({ turns: TURNS, locks }, titled)
    const late = world.tab('late', { tools: titled }).open()
    await world.until(() => one.ends.length > 0)
    await world.run(1000)
    for (const tab of [one, two, late]) {
      const calls = tab.seen.flatMap(({ messages = [] }) => messages.flatMap((m) => m.calls ?? []))
      expect(calls.some(({ inputText }) => inputText !== undefined)).toBe(true)
      expect(new Set(calls.map(({ title }) => title))).toEqual(new Set(['Look around']))
    }
  })

  it("resuming another tab's run warns only if that run is not followed here", async () => {
    const { world, one, two } = await whileRunning({ turns: TURNS, locks }, tools)
    const blind = world.tab('blind', { tools })
    expect(await world.settled(two.resume())).toBe(null)
    expect(await world.settled(blind.resume())).toBe(null)
    expect([two.warnings, blind.warnings]).toEqual([[], ['owned-elsewhere']])
    await world.until(() => one.ends.length > 0)
  })

  it('a tab that shows only the list is notified of changes after its first list', async () => {
    const { world, one } = await threeTabs({ turns: TURNS, locks }, tools)
    const looker = world.tab('looker')
    await world.run(100)
    expect(looker.listChanges).toBe(0)
    expect(await looker.list()).toEqual([])
    one.start('run')
    await world.until(() => looker.listChanges > 0)
    expect(await looker.list()).toMatchObject([{ title: 'Go.' }])
    await world.until(() => one.ends.length > 0)
    await world.run(100)
    const listed = looker.listChanges
    await one.host.library.renameConversation({ ...one.scope, title: 'Shelves' })
    await world.run(100)
    expect(looker.listChanges).toBeGreaterThan(listed)
    expect(await looker.list()).toMatchObject([{ title: 'Shelves' }])
  })

  it('an empty title restores the automatic title, which the next run keeps', async () => {
    const { world, one, two } = await threeTabs({ turns: TURNS, locks }, tools)
    one.start('run', 'refuse', 'Two mugs')
    await world.until(() => one.ends.length > 0)
    for (const title of ['Shelves', ' ', 'Boards', ''])
      await world.settled(two.host.library.renameConversation({ ...two.scope, title }))
    await world.run(100)
    expect(await two.list()).toMatchObject([{ title: 'Two mugs' }])
    expect([one.shown.title, two.shown.title]).toEqual(['Two mugs', 'Two mugs'])
    one.start('next', 'refuse', 'And a plate')
    await world.until(() => one.ends.length > 1)
    await world.run(100)
    expect(await two.list()).toMatchObject([{ title: 'Two mugs' }])
    expect([one.shown.title, two.shown.title]).toEqual(['Two mugs', 'Two mugs'])
  })

  it('in a conversation without messages, an empty title means none', async () => {
    const { world, one, two } = await threeTabs({ turns: TURNS, locks }, tools)
    one.start('run')
    await world.until(() => one.ends.length > 0)
    await world.settled(one.host.library.clearHistory(one.scope))
    await world.settled(two.host.library.renameConversation({ ...two.scope, title: '' }))
    await world.run(100)
    expect(await two.list()).toMatchObject([{ title: '' }])
    expect([one.shown.title, two.shown.title]).toEqual([undefined, undefined])
    one.start('next', 'refuse', 'And a plate')
    await world.until(() => one.ends.length > 1)
    await world.run(100)
    expect(await two.list()).toMatchObject([{ title: 'And a plate' }])
    expect(two.shown.title).toBe('And a plate')
  })

  it('a new title appears in every tab without disturbing a run', async () => {
    const { world, one, two } = await whileRunning({ turns: TURNS, locks }, tools, (tabs) => {
      return tabs.two.shown.status === 'running'
    })
    expect(
      await world.settled(two.host.library.renameConversation({ ...two.scope, title: 'A' })),
    ).toBe(true)
    expect(
      await world.settled(one.host.library.renameConversation({ ...one.scope, title: 'B' })),
    ).toBe(true)
    expect(
      await world.settled(two.host.library.renameConversation({ ...two.scope, title: 'C' })),
    ).toBe(true)
    await world.until(() => one.ends.length > 0)
    expect(one.ends).toEqual(['completed'])
    await world.run(1000)
    for (const tab of [one, two]) expect(tab.shown.title).toBe('C')
    expect(two.content).toEqual(one.content)
    const late = world.tab('late', { tools }).open()
    await world.run(500)
    expect(late.shown).toMatchObject({ title: 'C', messages: one.shown.messages })
  })

  it('a run ends as deleted when another tab deletes its conversation', async () => {
    const ask = [{ calls: [{ tool: 'pay', input: {} }] }]
    const pay = { pay: { needsApproval: true } }
    const { world, one, two } = await whileRunning({ turns: ask, locks }, pay, (tabs) => {
      return tabs.two.shown.status === 'waiting'
    })
    await world.settled(two.host.library.deleteConversation(two.scope))
    await world.until(() => one.ends.length > 0)
    expect(one.ends).toEqual(['deleted'])
    await world.run(1000)
    expect([one.shown.messages, two.shown.messages]).toEqual([[], []])
  })

  it('a writing or executing run ends at once when another tab deletes its conversation', async () => {
    const hangs = [{ text: 'Wait.', calls: [{ tool: 'look', input: {} }] }, { text: 'Never.' }]
    const slow = { look: { takes: 60_000, annotations: { readOnly: true } } }
    const isExecuting = ({ two }: ThreeTabs) =>
      two.shown.messages.some(({ calls }) => calls?.some(({ status }) => status === 'executing'))
    for (const isThere of [undefined, isExecuting]) {
      const turns = isThere ? hangs : TURNS
      const { world, one, two } = await whileRunning({ turns, locks }, slow, isThere)
      await world.settled(two.host.library.deleteConversation(two.scope))
      await world.run(200)
      expect(one.ends).toEqual(['deleted'])
      expect(one.shown).toMatchObject({ messages: [], status: 'idle' })
      expect(two.shown).toMatchObject({ messages: [], status: 'idle' })
    }
  })
})

it('a run without its agent is shown without a driver until a tab resumes it', async () => {
  const { world, one, two } = await whileRunning({ turns: TURNS }, tools)
  two.tools = {}
  two.host.toolsChanged({ agentId: 'agent-two' })
  one.host.releaseAgent({ agentId: 'agent-one' })
  await world.until(() => two.shown.ownership === 'none')
  expect(two.shown).toMatchObject({ status: 'idle', runId: 'run' })
})

it('nothing of a run is posted without followers, or to tabs that left', async () => {
  const world = new TabsWorld({ turns: TURNS })
  const one = world.tab('one', { tools }).open()
  await world.run(3000)
  world.forgetPosted()
  one.start('run')
  await world.until(() => one.ends.length > 0)
  expect(world.posted.get('follow-items')).toBe(undefined)
  // Where it begins and ends, and that it is driven, every few seconds.
  expect([...world.posted.values()].reduce((sum, count) => sum + count)).toBeLessThan(12)

  const two = world.tab('two', { tools }).open()
  await world.run(100)
  one.start('second')
  await world.until(() => two.text.length > 6)
  two.crash()
  await world.run(30_000)
  one.start('third')
  await world.run(20_000)
  world.forgetPosted()
  one.start('fourth')
  await world.until(() => one.ends.length > 3)
  expect(world.posted.get('follow-items')).toBe(undefined)
})

it('a single tab starts a run without waiting, with Web Locks or without', async () => {
  const world = new TabsWorld({ turns: TURNS })
  const one = world.tab('one', { tools })
  const from = world.clock.now
  one.start('run')
  await world.until(() => world.posted.has('run-driven'))
  expect(world.clock.now - from).toBeLessThan(20)
})

it('in-memory conversations share nothing with other tabs', async () => {
  const world = new TabsWorld({ turns: TURNS })
  const [one, two] = ['one', 'two'].map((name) =>
    world.tab(name, { tools, storage: 'memory' }).open(),
  )
  await world.run(1000)
  one!.start('run')
  await world.until(() => one!.ends.length > 0)
  expect(two!.shown.messages).toEqual([])
  expect(two!.listChanges).toBe(0)
  expect([...world.posted]).toEqual([])
})
