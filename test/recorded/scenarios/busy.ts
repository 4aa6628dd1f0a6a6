import type { Scenario } from '../record.ts'

const slow = [{ text: 'A slow answer to this.', paceMs: 30 }]
const consent = [{ calls: [{ tool: 'remove', input: { id: 1 } }] }, { text: 'Removed.' }]

/** Runs that want the same conversation. */
export const busy: readonly Scenario[] = [
  {
    name: 'a second run is refused',
    turns: slow,
    play: async (on) => {
      const first = on.run('One')
      await on.event('text-delta')
      await on.end(on.run('Two'))
      await on.end(first)
    },
  },
  {
    name: 'a second run at the same moment is refused',
    turns: slow,
    play: async (on) => {
      const runs = [on.run('One'), on.run('Two'), on.run('Three', { ifBusy: 'queue' })]
      for (const run of runs) await on.end(run)
    },
  },
  {
    name: 'runs wait for each other',
    turns: slow,
    play: async (on) => {
      const runs = ['One', 'Two', 'Three'].map((text) => on.run(text, { ifBusy: 'queue' }))
      for (const run of runs) await on.end(run)
    },
  },
  {
    name: 'a run that waits is aborted',
    turns: slow,
    play: async (on) => {
      const first = on.run('One')
      await on.event('text-delta')
      const second = on.run('Two', { ifBusy: 'queue' })
      await on.pause(20)
      second.run.abort('no longer')
      await on.end(second)
      await on.end(first)
    },
  },
  {
    name: 'a run waits for one whose consent is asked for',
    turns: consent,
    tools: ['remove'],
    play: async (on) => {
      const first = on.run('One')
      await on.event('tool-approval-request')
      const second = on.run('Two', { ifBusy: 'queue' })
      await on.pause(500)
      await on.ask('approve', (agent) => agent.approve(on.asked))
      await on.end(first)
      await on.event('tool-approval-request', { nth: 2 })
      await on.ask('deny', (agent) => agent.deny(on.asked))
      await on.end(second)
    },
  },
  {
    name: 'a run is refused while consent is asked for',
    turns: consent,
    tools: ['remove'],
    play: async (on) => {
      const first = on.run('One')
      await on.event('tool-approval-request')
      await on.end(on.run('Two'))
      await on.ask('approve', (agent) => agent.approve(on.asked))
      await on.end(first)
    },
  },
  {
    name: 'three that replace each other',
    turns: slow,
    play: async (on) => {
      const runs = [on.run('One')]
      for (const text of ['Two', 'Three']) {
        await on.pause(50)
        runs.push(on.run(text, { ifBusy: 'replace' }))
      }
      for (const run of runs) await on.end(run)
    },
  },
  {
    name: 'one that replaces one that waits',
    turns: slow,
    play: async (on) => {
      const runs = [
        on.run('One'),
        on.run('Two', { ifBusy: 'queue' }),
        on.run('Three', { ifBusy: 'replace' }),
      ]
      for (const run of runs) await on.end(run)
    },
  },
  {
    name: 'a history that is cleared, and a run after it',
    turns: slow,
    play: async (on) => {
      await on.end(on.run('One'))
      await on.ask('clear', (agent) => agent.conversations.clearHistory('talk'))
      await on.end(on.run('Two'))
      await on.end(on.run('Three'))
    },
  },
  {
    name: 'a history that is cleared after a failure, before a reload',
    turns: [{ text: 'Half of it', ends: 'throws' }],
    play: async (on) => {
      await on.end(on.run('One'))
      await on.ask('clear', (agent) => agent.conversations.clearHistory('talk'))
      await on.reload()
      await on.pause(100)
      await on.end(on.run('Two'))
      await on.ask('clear', (agent) => agent.conversations.clearHistory('talk'))
      await on.ask('clear', (agent) => agent.conversations.clearHistory('talk'))
    },
  },
  {
    name: 'a history that is cleared while calls wait for outputs',
    turns: [{ text: 'By hand.', calls: [{ tool: 'write', id: 'by-hand' }] }, { text: 'Done.' }],
    tools: ['write'],
    play: async (on) => {
      await on.end(on.run('One', { maxSteps: 0 }))
      await on.ask('clear', (agent) => agent.conversations.clearHistory('talk'))
      await on.supply('by-hand', 'too late')
      await on.end(on.run('Two', { maxSteps: 0 }))
    },
  },
  {
    name: 'a history that is imported, cleared, and imported again',
    turns: slow,
    play: async (on) => {
      const history = [
        { role: 'user' as const, content: 'Before.' },
        { role: 'assistant' as const, content: 'Yes?' },
      ]
      await on.end(on.run('One', { history }))
      await on.ask('clear', (agent) => agent.conversations.clearHistory('talk'))
      await on.end(on.run('Two', { history }))
    },
  },
  {
    name: 'a history that can not be cleared now',
    turns: slow,
    play: async (on) => {
      const run = on.run('One')
      await on.event('text-delta')
      await on.ask('clear', (agent) => agent.conversations.clearHistory('talk'))
      await on.end(run)
      await on.ask('clear', (agent) => agent.conversations.clearHistory('other'))
    },
  },
  {
    name: 'a conversation that is renamed, listed, deleted and begun anew',
    turns: slow,
    play: async (on) => {
      await on.end(on.run('A title that is made of the first message'))
      await on.ask('rename', (agent) => agent.conversations.rename('talk', 'Another title'))
      await on.ask('list', (agent) => agent.conversations.list())
      await on.ask('delete', (agent) => agent.conversations.delete('talk'))
      await on.ask('delete', (agent) => agent.conversations.delete('talk'))
      await on.end(on.run('Anew'))
      await on.ask('list', (agent) => agent.conversations.list({ unfinished: true }))
    },
  },
  {
    name: 'a conversation that is deleted while runs wait',
    turns: slow,
    play: async (on) => {
      const runs = [on.run('One'), on.run('Two', { ifBusy: 'queue' })]
      await on.event('text-delta')
      await on.ask('delete', (agent) => agent.conversations.delete('talk'))
      for (const run of runs) await on.end(run)
    },
  },
]
