import { expect, it } from 'vitest'
import { createWorld, SCOPE, startCommand, startLife } from './simulation.ts'

it.each(['refuse', 'queue', 'replace'] as const)(
  'a run requested twice runs once (%s)',
  async (ifBusy) => {
    const world = createWorld([{ text: 'once' }, { text: 'twice' }], {})
    const live = startLife(world)
    const command = { ...startCommand('run', 'go'), ifBusy }
    const first = live.host.startRun(command)
    const second = live.host.startRun(command)
    await live.until('step-start')
    await live.host.startRun(command)
    expect(await live.ended()).toMatchObject({ outcome: 'completed', text: 'once' })
    await Promise.all([first, second])
    await live.host.startRun(command)
    expect(world.requests).toHaveLength(1)
    expect((await live.host.library.getConversation(SCOPE))?.messages).toHaveLength(2)
    expect(live.events.filter(({ type }) => type === 'run-end')).toHaveLength(1)
  },
)
