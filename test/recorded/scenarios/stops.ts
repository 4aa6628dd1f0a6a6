import type { Scenario } from '../record.ts'
import type { Turns } from '../stage/played-model.ts'
import type { Followed, Stage } from '../stage/stage.ts'
import type { ToolName } from '../stage/toolbox.ts'

const slow: Turns = [
  {
    reasoning: 'Let me think about it.',
    text: 'A long and slow answer, which goes on and on for quite a while.',
    paceMs: 30,
  },
]
const working = (tool: ToolName): Turns => [
  { text: 'I begin.', calls: [{ tool, input: {} }], usage: { inputTokens: 3, outputTokens: 1 } },
  { text: 'I am done.' },
]
const several: Turns = [
  {
    text: 'I begin.',
    calls: [
      { tool: 'beside', input: { ms: 20 } },
      { tool: 'beside', input: { ms: 400 } },
      { tool: 'remove', input: { id: 1 } },
    ],
  },
  { text: 'I am done.' },
]

type Moment = readonly [string, Turns, readonly ToolName[], (on: Stage) => Promise<unknown>]

/** Moments at which something breaks in. */
const moments: readonly Moment[] = [
  ['before anything', slow, [], async () => undefined],
  ['at the first step', slow, [], (on) => on.event('step-start')],
  ['in a thought', slow, [], (on) => on.event('reasoning-delta', { nth: 2 })],
  ['in a text', slow, [], (on) => on.event('text-delta', { nth: 2 })],
  ['in a quick tool', working('slow'), ['slow'], (on) => on.event('tool-execution-start')],
  [
    'in a tool that obeys',
    working('obedient'),
    ['obedient'],
    (on) => on.event('tool-execution-start'),
  ],
  [
    'in a tool that does not',
    working('stubborn'),
    ['stubborn'],
    (on) => on.event('tool-execution-start'),
  ],
  [
    'after some progress',
    working('progress'),
    ['progress'],
    (on) => on.event('tool-progress', { nth: 2 }),
  ],
  ['after one of three calls', several, ['beside', 'remove'], (on) => on.event('tool-result')],
  [
    'at a question',
    working('remove').with(0, { calls: [{ tool: 'remove', input: { id: 1 } }] }),
    ['remove'],
    (on) => on.event('tool-approval-request'),
  ],
  [
    'in the second step',
    working('read').with(1, slow[0] ?? {}),
    ['read'],
    (on) => on.event('text-delta', { nth: 3 }),
  ],
]

/** Waits for the run to end, and aborts it after 3 s. */
async function endOrStop(on: Stage, run: Followed): Promise<void> {
  await Promise.race([on.end(run), on.pause(3000)])
  run.run.abort('long enough')
  await on.end(run)
}

type Break = readonly [string, (on: Stage, run: Followed) => Promise<unknown>]

const breaks: readonly Break[] = [
  [
    'an abort',
    async (on, run) => {
      run.run.abort('enough')
      await on.end(run)
      await endOrStop(on, on.run('Again'))
    },
  ],
  [
    'disposal',
    async (on, run) => {
      await on.reload()
      await on.end(run)
    },
  ],
  [
    'another run in its place',
    async (on, run) => {
      const next = on.run('Rather this', { ifBusy: 'replace' })
      await on.end(run)
      await endOrStop(on, next)
    },
  ],
  [
    'the end of its conversation',
    async (on, run) => {
      await on.ask('delete', (agent) => agent.conversations.delete('talk'))
      await on.end(run)
    },
  ],
]

const broken: readonly Scenario[] = moments.flatMap(([when, turns, tools, moment]) =>
  breaks.map(([what, breakIn]) => ({
    name: `${what} ${when}`,
    turns,
    tools,
    play: async (on: Stage) => {
      const run = on.run()
      await moment(on)
      await breakIn(on, run)
    },
  })),
)

const others: readonly Scenario[] = [
  {
    name: 'a signal that is aborted before',
    turns: slow,
    play: async (on) => on.end(on.run('Hi', { signal: AbortSignal.abort('too late') })),
  },
  {
    name: 'a signal',
    turns: slow,
    play: async (on) => {
      const stop = new AbortController()
      const run = on.run('Hi', { signal: stop.signal })
      await on.event('text-delta')
      stop.abort('by signal')
      return on.end(run)
    },
  },
  {
    name: 'an abort of all runs',
    turns: slow,
    views: ['talk', 'other'],
    play: async (on) => {
      const runs = [on.run('One'), on.run('Two', { conversationId: 'other' })]
      await on.event('text-delta', { nth: 2 })
      on.agent.abort('all of them')
      for (const run of runs) await on.end(run)
    },
  },
  {
    name: 'two aborts',
    turns: working('stubborn'),
    tools: ['stubborn'],
    play: async (on) => {
      const run = on.run()
      await on.event('tool-execution-start')
      run.run.abort('first')
      run.run.abort('second')
      return on.end(run)
    },
  },
  {
    name: 'an abort after the end',
    turns: [{ text: 'Quick.' }],
    play: async (on) => {
      const run = on.run()
      await on.end(run)
      run.run.abort('too late')
      await on.end(on.run('Next'))
    },
  },
  {
    name: 'a run of an agent that is disposed',
    turns: slow,
    play: async (on) => {
      await on.agent.dispose()
      const run = on.run()
      await on.end(run)
    },
  },
]

export const stops: readonly Scenario[] = [...broken, ...others]
