import type { Scenario } from '../record.ts'
import type { Turns } from '../stage/played-model.ts'

const two: Turns = [
  {
    text: 'Both.',
    calls: [
      { tool: 'write', input: { note: 'a' } },
      { tool: 'read', input: { note: 'b' } },
    ],
    usage: { inputTokens: 3, outputTokens: 1 },
  },
  { text: 'Thank you.', usage: { inputTokens: 5, outputTokens: 1 } },
]

/** Scenarios of one-shot mode, in which the page gets the calls and runs them itself. */
export const oneShot: readonly Scenario[] = [
  {
    name: 'one-shot: an answer without calls',
    turns: [{ text: 'Nothing to do.' }],
    tools: ['write', 'read'],
    options: { maxSteps: 0 },
  },
  {
    name: 'one-shot: two outputs',
    turns: two,
    tools: ['write', 'read'],
    options: { maxSteps: 0 },
    play: async (on) => {
      await on.end(on.run())
      await on.supply('c1.0.1', { by: 'hand' })
      const next = await on.supply('c1.0.2', 'read it')
      if (next) await on.end(next)
      await on.supply('c1.0.2', 'once more')
    },
  },
  {
    name: 'one-shot: an output, and a reload before the other',
    turns: two,
    tools: ['write', 'read'],
    options: { maxSteps: 0 },
    play: async (on) => {
      await on.end(on.run())
      await on.supply('c1.0.2', 'read it')
      await on.reload()
      const next = await on.supply('c1.0.1', undefined)
      if (next) await on.end(next)
    },
  },
  {
    name: 'one-shot: another message in place of the outputs',
    turns: two,
    tools: ['write', 'read'],
    options: { maxSteps: 0 },
    play: async (on) => {
      await on.end(on.run())
      await on.supply('c1.0.1', 'one')
      await on.end(on.run('Never mind'))
      await on.supply('c1.0.2', 'too late')
    },
  },
  {
    name: 'one-shot: an output to a call that nobody knows',
    turns: two,
    play: async (on) => {
      await on.supply('nobody', 'late')
      await on.end(on.run())
      await on.supply('nobody', 'late')
      await on.end(on.run('Next'))
    },
  },
  {
    name: 'one-shot: an invalid call',
    turns: [{ text: 'Badly.', calls: [{ tool: 'add', input: { a: 'x' } }] }, { text: 'Sorry.' }],
    tools: ['add'],
    options: { maxSteps: 0 },
  },
  {
    name: 'one-shot: an invalid call beside a good one',
    turns: [
      {
        calls: [{ tool: 'nope' }, { tool: 'add', input: { a: 1, b: 1 } }],
      },
      { text: 'Two.' },
    ],
    tools: ['add'],
    options: { maxSteps: 0 },
    play: async (on) => {
      await on.end(on.run())
      const next = await on.supply('c1.0.2', 2)
      if (next) await on.end(next)
    },
  },
  {
    name: 'one-shot: control tools and consent are handed over, too',
    turns: [
      {
        calls: [
          { tool: 'ask_user', input: { question: 'Which?' } },
          { tool: 'remove', input: { id: 1 } },
        ],
      },
      { text: 'So be it.' },
    ],
    tools: ['remove'],
    options: { maxSteps: 0, controlTools: ['ask_user'] },
    play: async (on) => {
      await on.end(on.run())
      await on.supply('c1.0.1', 'This.')
      const next = await on.supply('c1.0.2', { removed: true })
      if (next) await on.end(next)
    },
  },
  {
    name: 'one-shot: a hook has its say',
    turns: two,
    tools: ['write', 'read'],
    options: {
      maxSteps: 0,
      beforeToolCall: ({ toolName }) =>
        toolName === 'write' ? { veto: 'No.' } : { input: { note: 'else' } },
    },
    play: async (on) => {
      await on.end(on.run())
      const next = await on.supply('c1.0.2', 'read')
      if (next) await on.end(next)
    },
  },
]
