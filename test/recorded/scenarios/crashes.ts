import type { ResumeOptions } from '../../../src/index.ts'
import type { JournalBody } from '../../../src/protocol/journal.ts'
import type { Scenario } from '../record.ts'
import type { Turns } from '../stage/played-model.ts'
import type { Followed, Stage } from '../stage/stage.ts'
import type { ToolName } from '../stage/toolbox.ts'

const usage = { inputTokens: 4, outputTokens: 2 }
const loop: Turns = [
  {
    reasoning: 'So.',
    text: 'I look and write.',
    calls: [{ tool: 'read' }, { tool: 'write', input: { note: 'n' } }],
    usage,
  },
  { text: 'Written.', usage, paceMs: 20 },
]
const using = (tool: ToolName): Turns => [
  { text: 'I use it.', calls: [{ tool, input: { note: 'x' } }], usage },
  { text: 'Used.', usage },
]

/** Goes on with what is open, and answers what is asked, until it ends or waits. */
async function takeUp(on: Stage, how: ResumeOptions = {}): Promise<Followed | null> {
  const run = await on.resume('talk', how)
  if (run) await Promise.race([on.end(run), on.pause(30_000)])
  return run
}

const facts: readonly JournalBody['type'][] = [
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

/** What became of a call that was under way, by what may be known of it. */
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

/** Crashes in the same step, each within seconds. */
async function crashAgain(
  on: Stage,
  fact: JournalBody['type'],
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

const loops: readonly Scenario[] = [
  {
    name: 'a crash loop, and going on',
    turns: [{ text: 'At last.' }],
    play: async (on) => {
      await crashAgain(on, 'step-started', 3)
      const run = await on.resume()
      await on.event('run-parked')
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
      await on.event('run-parked')
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
      await on.event('run-parked')
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
      await on.event('run-parked')
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
      await on.event('run-parked')
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
      await on.event('run-parked')
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

export const crashes: readonly Scenario[] = [...deaths, ...interrupted, ...verdicts]
export const reloaded: readonly Scenario[] = [...reloads, ...waits, ...missing, ...loops]
