import type { Scenario } from '../record.ts'
import type { Turns } from '../stage/played-model.ts'
import type { Stage } from '../stage/stage.ts'
import { crashLoops } from './crash-loops.ts'
import { loop, takeUp, using } from './taken-up.ts'

/** Reloads at moments at which nothing, or something, waits. */
const reloads: readonly Scenario[] = (
  [
    ['in a thought', loop, (on) => on.event('reasoning-start')],
    ['at the start of a call', loop, (on) => on.event('tool-execution-start')],
    ['between two calls', loop, (on) => on.event('tool-result')],
    ['in the second text', loop, (on) => on.event('text-delta', { nth: 2 })],
  ] as [string, Turns, (on: Stage) => Promise<unknown>][]
).flatMap(([name, turns, moment]) => [
  {
    name: `a reload ${name}`,
    turns,
    tools: ['read', 'write'] as const,
    play: async (on: Stage) => {
      on.run()
      await moment(on)
      await on.reload()
      await takeUp(on)
    },
  },
  {
    name: `a crash ${name}`,
    turns,
    tools: ['read', 'write'] as const,
    play: async (on: Stage) => {
      on.run()
      await moment(on)
      on.crash()
      await takeUp(on)
    },
  },
])

const waiting: Turns = [
  {
    text: 'Two of them.',
    calls: [
      { tool: 'remove', input: { id: 1 } },
      { tool: 'ask_user', input: { question: 'Why?', options: ['a', 'b'] } },
      { tool: 'read' },
    ],
  },
  { text: 'Thank you.' },
]

const waits: readonly Scenario[] = [
  {
    name: 'a reload while a person is asked',
    turns: waiting,
    tools: ['remove', 'read'],
    options: { controlTools: ['ask_user'] },
    play: async (on) => {
      on.run()
      await on.event('question')
      await on.reload()
      const run = await on.resume()
      await on.pause(100)
      await on.ask('approve', (agent) => agent.approve('c1.0.1'))
      await on.ask('answer', (agent) => agent.answer('c1.0.2', 'b'))
      if (run) await on.end(run)
    },
  },
  {
    name: 'an approval after a reload, of a run that nobody took up',
    turns: waiting.with(0, { calls: [{ tool: 'remove', input: { id: 1 } }] }),
    tools: ['remove'],
    play: async (on) => {
      on.run()
      await on.event('tool-approval-request')
      await on.reload()
      await on.pause(100)
      await on.ask('approve', (agent) => agent.approve('c1.0.1', { input: { id: 2 } }))
      const run = await on.resume()
      if (run) await on.end(run)
    },
  },
  {
    name: 'a run that ended is resumed',
    turns: [{ text: 'Over.' }],
    play: async (on) => {
      await on.end(on.run())
      await on.resume()
      await on.reload()
      await on.resume()
      await on.resume(null)
    },
  },
  {
    name: 'a run is resumed twice',
    turns: loop,
    tools: ['read', 'write'],
    play: async (on) => {
      on.run()
      await on.event('tool-result')
      await on.reload()
      const [one, two] = await Promise.all([on.resume(), on.resume()])
      for (const run of [one, two]) if (run) await on.end(run)
    },
  },
  {
    name: 'the newest open run of several',
    turns: loop,
    tools: ['read', 'write'],
    views: ['talk', 'other'],
    play: async (on) => {
      on.run()
      await on.pause(10)
      on.run('Other', { conversationId: 'other' })
      await on.event('tool-execution-start', { nth: 2 })
      await on.reload()
      for (let round = 0; round < 3; round++) {
        const run = await on.resume(null)
        if (run) await on.end(run)
      }
    },
  },
  {
    name: 'an open run is aborted after a reload, without being taken up',
    turns: loop,
    tools: ['read', 'write'],
    play: async (on) => {
      on.run()
      await on.event('tool-execution-start')
      await on.reload()
      await on.end(on.run('Another', { ifBusy: 'replace' }))
    },
  },
  {
    name: 'a run waits for an open one after a reload',
    turns: loop,
    tools: ['read', 'write'],
    play: async (on) => {
      on.run()
      await on.event('tool-execution-start')
      await on.reload()
      await on.end(on.run('Another', { ifBusy: 'queue' }))
    },
  },
  {
    name: 'a run is refused for an open one after a reload',
    turns: loop,
    tools: ['read', 'write'],
    play: async (on) => {
      on.run()
      await on.event('tool-execution-start')
      await on.reload()
      await on.end(on.run('Another'))
    },
  },
]

const missing: readonly Scenario[] = [
  {
    name: 'a tool that is registered late',
    turns: using('repeatable'),
    tools: ['repeatable'],
    play: async (on) => {
      on.run()
      await on.event('tool-execution-start')
      on.crash({ tools: [] })
      const run = await on.resume()
      await on.event('tool-unavailable')
      await on.pause(2000)
      on.agent.registerTool(on.tool('repeatable'))
      if (run) await on.end(run)
    },
  },
  {
    name: 'a tool that never comes back',
    turns: using('repeatable'),
    tools: ['repeatable'],
    play: async (on) => {
      on.run()
      await on.event('tool-execution-start')
      on.crash({ tools: [] })
      const run = await on.resume('talk', { waitForToolsMs: 3000 })
      if (run) await on.end(run)
    },
  },
  {
    name: 'a tool that is another one after a crash',
    turns: using('repeatable'),
    tools: ['repeatable'],
    play: async (on) => {
      on.run()
      await on.event('tool-execution-start')
      on.crash({ tools: [{ ...on.tool('repeatable'), description: 'Another.' }] })
      const run = await on.resume()
      if (run) await on.end(run)
    },
  },
  {
    name: 'a proposed call whose tool is gone after a crash',
    turns: using('write'),
    tools: ['write'],
    play: async (on) => {
      const death = on.dies('page', 'after', 'model-output')
      on.run()
      await death
      on.crash({ tools: [] })
      const run = await on.resume('talk', { waitForToolsMs: 500 })
      if (run) await on.end(run)
    },
  },
  {
    name: 'an abort while a tool is waited for',
    turns: using('repeatable'),
    tools: ['repeatable'],
    play: async (on) => {
      on.run()
      await on.event('tool-execution-start')
      on.crash({ tools: [] })
      const run = await on.resume()
      await on.event('tool-unavailable')
      run?.run.abort('no tool, no run')
      if (run) await on.end(run)
    },
  },
]

export const reloaded: readonly Scenario[] = [...reloads, ...waits, ...missing, ...crashLoops]
