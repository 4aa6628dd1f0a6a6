import type { Scenario } from '../record.ts'
import type { Turns } from '../stage/played-model.ts'
import type { Stage } from '../stage/stage.ts'

const slow: Turns = [
  {
    reasoning: 'Hm, hm.',
    text: 'I look at the page for you.',
    calls: [{ tool: 'read' }],
    paceMs: 30,
  },
  { text: 'It says hello to everybody.', paceMs: 30 },
]
const consent: Turns = [
  { text: 'May I?', calls: [{ tool: 'remove', input: { id: 1 } }] },
  { text: 'Done.', paceMs: 20 },
]
const tools = ['read', 'remove'] as const

/** A second agent of the page takes part. */
async function joins(on: Stage): Promise<void> {
  const first = on.agent
  on.open({}, ['talk'])
  const run = await on.resume()
  if (run) await on.end(run)
  on.agent = first
}

const followers: readonly Scenario[] = (
  [
    ['at the first step', slow, (on) => on.event('step-start')],
    ['in a thought', slow, (on) => on.event('reasoning-delta', { nth: 2 })],
    ['in a text', slow, (on) => on.event('text-delta')],
    ['in a call', slow, (on) => on.event('tool-execution-start')],
    ['in the second text', slow, (on) => on.event('text-delta', { nth: 3 })],
    ['after the end', slow, (on) => on.event('run-end')],
  ] as [string, Turns, (on: Stage) => Promise<unknown>][]
).map(([when, turns, moment]) => ({
  name: `a second agent follows ${when}`,
  turns,
  tools,
  play: async (on) => {
    const run = on.run()
    await moment(on)
    await joins(on)
    await on.end(run)
  },
}))

const together: readonly Scenario[] = [
  {
    name: 'a second agent follows, and gives its consent',
    turns: consent,
    tools,
    play: async (on) => {
      const run = on.run()
      await on.event('tool-approval-request')
      on.open({}, ['talk'])
      const followed = await on.resume()
      await on.ask('approve', (agent) => agent.approve('c1.0.1'))
      await on.end(run)
      if (followed) await on.end(followed)
    },
  },
  {
    name: 'a second agent follows, and aborts',
    turns: slow,
    tools,
    play: async (on) => {
      const run = on.run()
      await on.event('text-delta')
      on.open({}, ['talk'])
      const followed = await on.resume()
      followed?.run.abort('by the second')
      await on.end(run)
      if (followed) await on.end(followed)
    },
  },
  {
    name: 'the first agent is disposed, and the second goes on',
    turns: slow,
    tools,
    play: async (on) => {
      const first = on.agent
      const run = on.run()
      await on.event('tool-execution-start')
      on.open({}, ['talk'])
      const followed = await on.resume()
      await first.dispose()
      await on.end(run)
      await on.pause(1000)
      const again = await on.resume()
      if (followed) await on.end(followed)
      if (again) await on.end(again)
    },
  },
  {
    name: 'a second agent begins a run in the place of the first one’s',
    turns: slow,
    tools,
    play: async (on) => {
      const run = on.run('One')
      await on.event('text-delta')
      on.open({}, ['talk'])
      const next = on.run('Two', { ifBusy: 'replace' })
      await on.end(run)
      await on.end(next)
    },
  },
  {
    name: 'a second agent of the page follows a paused run',
    turns: slow,
    tools,
    play: async (on) => {
      on.storage.fault = 'storage-full'
      on.storage.faulty = ({ rows }) => rows.some(({ type }) => type === 'model-output')
      const run = on.run('One')
      await on.event('run-paused')
      on.open({}, ['talk'])
      const followed = await on.resume()
      await on.pause(100)
      on.storage.fault = null
      await on.goOn()
      await on.end(run)
      if (followed) await on.end(followed)
    },
  },
]

/** Another tab over the same store; without locks its worker is an owner as soon as it wants to be. */
const tabs: readonly Scenario[] = (
  [
    ['in a text', slow, (on) => on.event('text-delta')],
    ['in a call', slow, (on) => on.event('tool-execution-start')],
    ['at a question', consent, (on) => on.event('tool-approval-request')],
    ['in the second text', slow, (on) => on.event('text-delta', { nth: 3 })],
  ] as [string, Turns, (on: Stage) => Promise<unknown>][]
).flatMap(([when, turns, moment]) => [
  {
    name: `another tab takes over ${when}`,
    turns,
    tools,
    play: async (on: Stage) => {
      const run = on.run()
      await moment(on)
      on.newPage()
      const taken = await on.resume()
      await on.pause(1000)
      if (on.asked) await on.ask('approve', (agent) => agent.approve('c1.0.1'))
      if (taken) await on.end(taken)
      await Promise.race([on.end(run), on.pause(5000)])
    },
  },
  {
    name: `another tab deletes the conversation ${when}`,
    turns,
    tools,
    play: async (on: Stage) => {
      const first = on.agent
      const run = on.run()
      await moment(on)
      on.newPage()
      await on.ask('delete', (agent) => agent.conversations.delete('talk'))
      on.agent = first
      if (on.asked) await on.ask('approve', (agent) => agent.approve('c1.0.1'))
      await Promise.race([on.end(run), on.pause(5000)])
    },
  },
])

const answers: readonly Scenario[] = [
  {
    name: 'another tab gives its consent',
    turns: consent,
    tools,
    play: async (on) => {
      const first = on.agent
      const run = on.run()
      await on.event('tool-approval-request')
      on.newPage()
      await on.ask('approve', (agent) => agent.approve('c1.0.1'))
      await on.pause(1000)
      on.agent = first
      await on.ask('deny', (agent) => agent.deny('c1.0.1'))
      await Promise.race([on.end(run), on.pause(5000)])
    },
  },
  {
    name: 'another tab begins a run after the end',
    turns: slow,
    tools,
    play: async (on) => {
      const first = on.agent
      await on.end(on.run('One'))
      on.newPage()
      await on.end(on.run('Two'))
      on.agent = first
      await on.end(on.run('Three'))
    },
  },
]

export const others: readonly Scenario[] = [...followers, ...together, ...tabs, ...answers]
