import type { FactType } from '../../../src/protocol/fact.ts'
import type { Scenario } from '../record.ts'
import type { Stage } from '../stage/stage.ts'
import { loop, takeUp, using } from './taken-up.ts'

const facts: readonly FactType[] = [
  'run-started',
  'step-started',
  'model-output',
  'call-started',
  'call-settled',
  'run-ended',
]

const deaths: readonly Scenario[] = facts.flatMap((fact) =>
  (['before', 'after'] as const).flatMap((when) => [
    {
      name: `the worker dies ${when} ${fact}`,
      turns: loop,
      tools: ['read', 'write'] as const,
      play: async (on: Stage) => {
        const death = on.dies('worker', when, fact)
        const run = on.run()
        await death
        await on.end(run)
      },
    },
    {
      name: `the page dies ${when} ${fact}`,
      turns: loop,
      tools: ['read', 'write'] as const,
      play: async (on: Stage) => {
        const death = on.dies('page', when, fact)
        on.run()
        await death
        on.crash()
        await takeUp(on)
      },
    },
  ]),
)

/** Calls that were running when the page died, by what the tool can find out about their outcome. */
const interrupted: readonly Scenario[] = (
  [
    ['write', 'slow', 'unknown'],
    ['one that repeats', 'repeatable', 'unknown'],
    ['one that is known to have happened', 'checked', 'happened'],
    ['one that is known not to have happened', 'checked', 'did-not-happen'],
    ['one that can not tell', 'checked', 'unknown'],
  ] as const
).flatMap(([name, tool, verdict]) =>
  (['tell-model', 'ask'] as const).map((how) => ({
    name: `a call is under way when the page dies: ${name}, ${how}`,
    turns: using(tool),
    tools: [tool],
    verdict,
    play: async (on: Stage) => {
      on.run()
      await on.event('tool-execution-start')
      await on.pause(50)
      on.crash()
      const run = await takeUp(on, { interrupted: how })
      if (run && !run.result) {
        await on.ask('resolve', (agent) => agent.resolveInterrupted(on.asked, 'did-not-happen'))
        await on.end(run)
      }
    },
  })),
)

const verdicts: readonly Scenario[] = (
  [
    ['happened', undefined],
    ['happened', 'a person saw it'],
    ['did-not-happen', undefined],
    ['run-again', undefined],
  ] as const
).map(([verdict, output]) => ({
  name: `an interrupted call: ${verdict}${output === undefined ? '' : ' with an output'}`,
  turns: using('slow'),
  tools: ['slow'],
  play: async (on) => {
    on.run()
    await on.event('tool-execution-start')
    on.crash()
    const run = await on.resume('talk', { interrupted: 'ask' })
    await on.event('tool-interrupted')
    await on.ask('approve', (agent) => agent.approve(on.asked))
    await on.ask('resolve', (agent) => agent.resolveInterrupted(on.asked, verdict, output))
    if (run) await on.end(run)
  },
}))

export const crashes: readonly Scenario[] = [...deaths, ...interrupted, ...verdicts]
