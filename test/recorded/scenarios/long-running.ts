import type { Scenario } from '../record.ts'

const turns = [{ text: 'One moment.', calls: [{ tool: 'job' }] }, { text: 'It is done.' }] as const

/** Recorded with format 2: no tool could say later what its call came to. */
export const longRunning: readonly Scenario[] = [
  {
    name: 'a call waits for its outcome, which is said once',
    turns,
    tools: ['job'],
    play: async (on) => {
      const run = on.run('One')
      await on.event('tool-suspended')
      await on.ask('settle', (agent) => agent.settle(on.asked, { output: { pages: 3 } }))
      await on.ask('settle again', (agent) => agent.settle(on.asked, { error: 'Too late.' }))
      await on.end(run)
    },
  },
  {
    name: 'the outcome is said after a reload',
    turns,
    tools: ['job'],
    play: async (on) => {
      on.run('One')
      await on.event('tool-suspended')
      const call = on.asked
      await on.reload()
      const run = await on.resume()
      await on.ask('settle', (agent) => agent.settle(call, { error: 'The printer is on fire.' }))
      if (run) await on.end(run)
    },
  },
  {
    name: 'a run is aborted while a call waits for its outcome',
    turns,
    tools: ['job'],
    play: async (on) => {
      const run = on.run('One')
      await on.event('tool-suspended', { of: run })
      run.run.abort('enough')
      await on.end(run)
    },
  },
]
