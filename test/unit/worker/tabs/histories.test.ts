import { afterEach, expect, it } from 'vitest'
import type { Row } from '../../../../src/protocol/fact.ts'
import type { PageTab } from './world/page-tab.ts'
import { threeTabs } from './world/three-tabs.ts'
import { TabsWorld } from './world/tabs-world.ts'

afterEach(() => TabsWorld.leave())

const said = (text: string) => [
  { id: 'asked', role: 'user', parts: [{ type: 'text', text }] },
  { id: 'said', role: 'assistant', parts: [{ type: 'text', text: `So it is: ${text}` }] },
]

function start(tab: PageTab, runId: string, history: unknown): void {
  void tab.host.startRun({
    ...tab.scope,
    runId,
    message: { id: `${runId}:user`, parts: [{ type: 'text', text: runId }] },
    limits: { maxSteps: 10, retries: 3 },
    ifBusy: 'refuse',
    history,
  })
}

it.each([
  [true, 0],
  [true, 3],
  [true, 40],
  [false, 0],
  [false, 3],
  [false, 40],
])(
  'when two tabs import histories at once, only one is stored (locks %s, %i ms)',
  async (locks, ms) => {
    const { world, one, two } = await threeTabs({ turns: [{ text: 'Noted.' }], locks })
    start(one, 'first', said('the sky is blue'))
    await world.run(ms)
    start(two, 'second', said('the sky is green'))
    await world.run(20_000)
    const rows = (await world.store.read('talk')).rows as Row[]
    const imports = rows.filter((row) => row.type === 'messages-imported')
    const starts = rows.filter((row) => row.type === 'run-started')
    expect(imports).toHaveLength(1)
    expect(imports[0]?.messages).toHaveLength(2)
    // The run that brought it is in the same append.
    expect(starts[0]).toMatchObject({ appendId: imports[0]?.appendId })
    const colour = starts[0]?.runId === 'first' ? 'blue' : 'green'
    expect(JSON.stringify(imports)).toContain(colour)
    expect(one.shown.messages).toEqual(two.shown.messages)
  },
)
