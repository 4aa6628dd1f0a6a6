import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { emptyState } from '../../../../src/conversation/state.ts'
import { fold } from '../../../../src/conversation/fold.ts'
import { NOTHING_LIVE } from '../../../../src/conversation/live.ts'
import type { ConversationSnapshot } from '../../../../src/conversation/snapshot.ts'
import { view } from '../../../../src/conversation/view.ts'
import type { Row } from '../../../../src/protocol/fact.ts'
import { TALK, type PageTab } from './world/page-tab.ts'
import { TabsWorld } from './world/tabs-world.ts'
import { someOf } from '../../more.ts'

afterEach(() => TabsWorld.leave())

const tools = {
  look: { takes: 300, annotations: { readOnly: true } },
  pay: { needsApproval: true },
}
const TURNS = [
  { text: 'I look.', calls: [{ tool: 'look', input: { at: 'the shelf' } }] },
  { reasoning: 'So.', calls: [{ tool: 'pay', input: {} }] },
  { text: 'It is on the shelf, and paid.' },
]

const ACTS = [
  'start',
  'queue',
  'approve',
  'deny',
  'abort',
  'take-over',
  'resume',
  'crash',
  'freeze',
  'thaw',
  'reopen',
  'clear',
  'delete',
] as const

interface Deed {
  readonly tab: number
  readonly act: (typeof ACTS)[number]
  readonly after: number
}

const deed: fc.Arbitrary<Deed> = fc.record({
  tab: fc.nat(2),
  act: fc.constantFrom(...ACTS),
  after: fc.nat(4000),
})

function does(world: TabsWorld, tabs: PageTab[], { tab: at, act }: Deed, count: number): void {
  const tab = tabs[at]!
  const done = (work: Promise<unknown>): void => void work.catch(() => undefined)
  const pending = (): string => tab.shown.pending[0]?.toolCallId ?? 'none'
  if (!tab.isWorking && act !== 'thaw') return
  switch (act) {
    case 'start':
      return tab.start(`run${count}`)
    case 'queue':
      return tab.start(`run${count}`, 'queue')
    case 'approve':
    case 'deny':
      return done(tab.answer(pending(), { type: act }))
    case 'abort':
      return done(tab.abort(tab.shown.runId ?? 'none'))
    case 'take-over':
      return done(tab.takeOver())
    case 'resume':
      return done(tab.resume())
    case 'crash':
      tab.crash()
      tabs[at] = world.tab(`${tab.name}+`, { tools }).open()
      return
    case 'freeze':
      return tab.freeze()
    case 'thaw':
      return tab.thaw()
    case 'reopen':
      tab.leave()
      tab.open()
      return
    case 'clear':
      return done(tab.host.library.clearHistory(tab.scope))
    case 'delete':
      return done(tab.host.library.deleteConversation(tab.scope))
    default:
      act satisfies never
  }
}

/** Apart from how a run that never began, or was left, ended in one tab. */
function contentOf({ messages, pending, runId, title, queued }: ConversationSnapshot) {
  return { messages, pending, runId, title, queued }
}

describe.each([
  ['Web Locks', true],
  ['messages', false],
])('with leases by %s', (_name, locks) => {
  it('after any message losses, all tabs show the stored state and no orphan runs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(deed, { minLength: 3, maxLength: 9 }),
        fc.integer(),
        fc.record({
          loss: fc.constantFrom(0, 0.1, 0.4),
          repeats: fc.constantFrom(0, 0.3),
          maxDelayMs: fc.constantFrom(2, 100, 800),
        }),
        async (deeds, seed, weather) => {
          const world = new TabsWorld({ turns: TURNS, locks, seed })
          const tabs = ['one', 'two', 'three'].map((name) => world.tab(name, { tools }).open())
          await world.run(500)
          Object.assign(world.network.weather, weather)
          for (const [count, one] of deeds.entries()) {
            does(world, tabs, one, count)
            await world.run(one.after)
          }
          Object.assign(world.network.weather, { loss: 0, repeats: 0, maxDelayMs: 2 })
          for (const tab of tabs) tab.thaw()
          await world.run(120_000)
          const { rows } = await world.store.read(TALK)
          const stored = view(fold(emptyState(TALK), rows as Row[]), NOTHING_LIVE)
          const drivers = tabs.filter(({ shown }) => shown.ownership === 'this-tab')
          for (const { shown } of tabs) {
            expect(contentOf(shown)).toEqual(contentOf(stored))
            if (shown.status === 'running') expect(drivers).not.toEqual([])
          }
        },
      ),
      { numRuns: someOf(150) },
    )
  }, 120_000)
})
