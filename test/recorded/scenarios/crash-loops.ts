import type { FactType } from '../../../src/protocol/fact.ts'
import type { Scenario } from '../record.ts'
import type { Stage } from '../stage/stage.ts'
import { loop, using } from './taken-up.ts'

/** Crashes in the same step, each within seconds. */
async function crashAgain(
  on: Stage,
  fact: FactType,
  times: number,
  begin: () => unknown = () => on.run(),
): Promise<void> {
  for (let time = 0; time < times; time++) {
    const death = on.dies('page', 'after', fact)
    if (time === 0) begin()
    else void on.resume()
    await death
    on.crash()
  }
}

export const crashLoops: readonly Scenario[] = [
  {
    name: 'a crash loop, and going on',
    turns: [{ text: 'At last.' }],
    play: async (on) => {
      await crashAgain(on, 'step-started', 3)
      const run = await on.resume()
      await on.event('run-paused')
      await on.pause(20_000)
      await on.goOn()
      if (run) await on.end(run)
    },
  },
  {
    name: 'a crash loop, and an abort',
    turns: [{ text: 'Never.' }],
    play: async (on) => {
      await crashAgain(on, 'step-started', 3)
      const run = await on.resume()
      await on.event('run-paused')
      run?.run.abort('give up')
      if (run) await on.end(run)
    },
  },
  {
    name: 'a crash loop, a reload, and going on',
    turns: [{ text: 'At last.' }],
    play: async (on) => {
      await crashAgain(on, 'step-started', 3)
      await on.resume()
      await on.event('run-paused')
      await on.reload()
      const run = await on.resume()
      await on.pause(500)
      await on.end(on.run('Another', { ifBusy: 'queue' }))
      await on.goOn()
      if (run) await on.end(run)
    },
  },
  {
    name: 'a crash loop in the second step, seen by a second agent, which lets it go on',
    turns: loop.with(0, { calls: [{ tool: 'read' }] }),
    tools: ['read', 'write'],
    play: async (on) => {
      const death = on.dies('page', 'after', 'call-settled')
      on.run()
      await death
      on.crash()
      await crashAgain(on, 'step-started', 2, () => on.resume())
      const run = await on.resume()
      await on.event('run-paused')
      on.open({}, ['talk'])
      const followed = await on.resume()
      await on.goOn()
      if (run) await on.end(run)
      if (followed) await on.end(followed)
    },
  },
  {
    name: 'a crash loop that is left alone for a while',
    turns: [{ text: 'At last.' }],
    play: async (on) => {
      await crashAgain(on, 'step-started', 2)
      await on.pause(15_000)
      const run = await on.resume()
      if (run) await on.end(run)
    },
  },
  {
    name: 'a crash loop, and a deletion',
    turns: [{ text: 'Never.' }],
    play: async (on) => {
      await crashAgain(on, 'step-started', 3)
      const run = await on.resume()
      await on.event('run-paused')
      await on.ask('delete', (agent) => agent.conversations.delete('talk'))
      if (run) await on.end(run)
    },
  },
  {
    name: 'a crash loop, and a run in its place',
    turns: [{ text: 'Another one.' }],
    play: async (on) => {
      await crashAgain(on, 'step-started', 3)
      await on.resume()
      await on.event('run-paused')
      await on.end(on.run('Another', { ifBusy: 'replace' }))
    },
  },
  {
    name: 'a call that crashes again and again',
    turns: using('repeatable'),
    tools: ['repeatable'],
    play: async (on) => {
      await crashAgain(on, 'call-started', 3)
      const run = await on.resume()
      if (run) await on.end(run)
    },
  },
  {
    name: 'the worker dies three times',
    turns: loop,
    tools: ['read', 'write'],
    play: async (on) => {
      const deaths = ['model-output', 'call-settled', 'step-started'] as const
      let death = on.dies('worker', 'after', deaths[0])
      const run = on.run()
      for (const fact of deaths.slice(1)) {
        await death
        death = on.dies('worker', 'after', fact)
      }
      await on.end(run)
    },
  },
]
