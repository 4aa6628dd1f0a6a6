import type { Scenario } from '../record.ts'
import type { PlayedCall } from '../stage/played-model.ts'
import type { ToolName } from '../stage/toolbox.ts'

const one = (call: PlayedCall, text = 'Done.') => [{ text: 'One moment.', calls: [call] }, { text }]

/** A call of each tool, with its outcome. */
const each: readonly Scenario[] = (
  [
    ['add', { a: 1, b: 2 }],
    ['read', {}],
    ['write', { note: 'a' }],
    ['nothing', {}],
    ['fail', {}],
    ['slow', {}],
    ['late', {}],
    ['progress', { note: 'p' }],
    ['alone', {}],
    ['repeatable', {}],
    ['checked', {}],
    ['picture', {}],
    ['brief', {}],
  ] as const
).map(([tool, input]) => ({
  name: `a call of ${tool}`,
  turns: one({ tool, input }),
  tools: [tool],
}))

const wrong: readonly Scenario[] = [
  ['an input that does not fit', { tool: 'add', input: { a: 'one' } }, ['add']],
  ['an unknown tool', { tool: 'ad', input: { a: 1, b: 2 } }, ['add', 'read']],
  ['a tool, where there are none', { tool: 'add', input: {} }, []],
  [
    'arguments that are cut off',
    { tool: 'add', error: { code: 'truncated', message: 'It ended within a string.' } },
    ['add'],
  ],
  [
    'arguments that are no JSON',
    { tool: 'add', error: { code: 'invalid-json', message: 'Unexpected end.' } },
    ['add'],
  ],
].map(([name, call, tools]) => ({
  name: `a call with ${name as string}`,
  turns: one(call as PlayedCall, 'I am sorry.'),
  tools: tools as ToolName[],
}))

const groups: readonly Scenario[] = [
  ['two that only read', [{ tool: 'read' }, { tool: 'look' }], ['read', 'look']],
  [
    'some that end in another order',
    [
      { tool: 'beside', input: { ms: 90 } },
      { tool: 'beside', input: { ms: 10 } },
      { tool: 'beside', input: { ms: 50 } },
    ],
    ['beside'],
  ],
  [
    'six beside each other',
    [30, 20, 10, 40, 5, 15].map((ms) => ({ tool: 'beside', input: { ms } })),
    ['beside'],
  ],
  [
    'one after the other',
    [{ tool: 'write' }, { tool: 'write' }, { tool: 'read' }],
    ['write', 'read'],
  ],
  [
    'one alone between two',
    [{ tool: 'read' }, { tool: 'alone' }, { tool: 'look' }],
    ['read', 'alone', 'look'],
  ],
  [
    'one that fails between two',
    [{ tool: 'read' }, { tool: 'fail' }, { tool: 'write' }],
    ['read', 'fail', 'write'],
  ],
  [
    'one that is invalid beside a good one',
    [
      { tool: 'add', input: {} },
      { tool: 'add', input: { a: 1, b: 1 } },
    ],
    ['add'],
  ],
  ['one of an unknown tool beside a good one', [{ tool: 'nope' }, { tool: 'read' }], ['read']],
].map(([name, calls, tools]) => ({
  name: `calls: ${name as string}`,
  turns: [{ text: 'Several.', calls: calls as PlayedCall[] }, { text: 'All done.' }],
  tools: tools as ToolName[],
}))

const courses: readonly Scenario[] = [
  {
    name: 'arguments that stream',
    turns: [
      {
        text: 'I add.',
        calls: [{ tool: 'add', input: { a: 1234567, b: 2 }, streams: true }],
        paceMs: 20,
      },
      { text: 'There.' },
    ],
    tools: ['add'],
  },
  {
    name: 'arguments of two calls that stream',
    turns: [
      {
        reasoning: 'Both.',
        calls: [
          { tool: 'write', input: { note: 'a longer note' }, streams: true },
          { tool: 'read', input: { note: 'b' }, streams: true },
        ],
        paceMs: 10,
      },
      { text: 'There.' },
    ],
    tools: ['write', 'read'],
  },
  {
    name: 'arguments that stream for nothing',
    turns: [
      [
        { calls: [{ tool: 'add', input: { a: 1, b: 2 }, streams: true }], ends: 'cut' },
        { text: 'Then not.' },
      ],
    ],
    tools: ['add'],
    model: { retry: { baseDelayMs: 100 } },
  },
  {
    name: 'the same id twice in one answer',
    turns: one({ tool: 'add', input: { a: 1, b: 2 }, id: 'x' }).map((turn) =>
      'calls' in turn ? { ...turn, calls: [...turn.calls, ...turn.calls] } : turn,
    ),
    tools: ['add'],
  },
  {
    name: 'the same id in each answer',
    turns: [
      { calls: [{ tool: 'add', input: { a: 1, b: 2 }, id: 'x' }] },
      { calls: [{ tool: 'add', input: { a: 3, b: 4 }, id: 'x', streams: true }] },
      { calls: [{ tool: 'add', input: { a: 5, b: 6 }, id: '' }] },
      { text: 'Eleven.' },
    ],
    tools: ['add'],
  },
  {
    name: 'as many steps as there may be',
    turns: [1, 2, 3, 4].map((a) => ({ calls: [{ tool: 'add', input: { a, b: 1 } }] })),
    tools: ['add'],
    options: { maxSteps: 3 },
  },
  {
    name: 'one step only',
    turns: one({ tool: 'add', input: { a: 1, b: 1 } }),
    tools: ['add'],
    play: async (on) => on.end(on.run('Add', { maxSteps: 1 })),
  },
  {
    name: 'the same call again and again',
    turns: Array.from({ length: 12 }, () => ({ calls: [{ tool: 'read', input: { note: 'x' } }] })),
    tools: ['read'],
    options: { maxSteps: -1 },
  },
  {
    name: 'calls that stay invalid',
    turns: Array.from({ length: 6 }, (_, a) => ({ calls: [{ tool: 'add', input: { a } }] })),
    tools: ['add'],
    options: { retries: 2 },
  },
  {
    name: 'calls that are invalid now and then',
    turns: [
      { calls: [{ tool: 'add', input: {} }] },
      { calls: [{ tool: 'add', input: { a: 1, b: 1 } }] },
      { calls: [{ tool: 'add', input: { a: '1' } }] },
      { text: 'Two.' },
    ],
    tools: ['add'],
    options: { retries: 1 },
  },
  {
    name: 'a hook that changes inputs and results',
    turns: one({ tool: 'write', input: { note: 'a' } }),
    tools: ['write'],
    options: {
      beforeToolCall: () => ({ input: { note: 'changed', times: 2 } }),
      afterToolCall: ({ result }) => ({ result: { wrapped: result } }),
    },
  },
  {
    name: 'a hook that vetoes',
    turns: one({ tool: 'write', input: { note: 'a' } }),
    tools: ['write'],
    options: { beforeToolCall: () => ({ veto: 'Not on Sundays.' }) },
  },
  {
    name: 'hooks that throw',
    turns: [{ calls: [{ tool: 'write' }, { tool: 'read' }] }, { text: 'Half of it.' }],
    tools: ['write', 'read'],
    options: {
      beforeToolCall: ({ toolName }) => {
        if (toolName === 'write') throw new Error('Before.')
      },
      afterToolCall: () => {
        throw new Error('After.')
      },
    },
  },
  {
    name: 'a hook whose change does not fit',
    turns: one({ tool: 'add', input: { a: 1, b: 1 } }),
    tools: ['add'],
    options: { beforeToolCall: () => ({ input: { a: 'x' } }) },
  },
  {
    name: 'a call of a tool that is gone',
    turns: one({ tool: 'write' }),
    tools: ['read'],
    play: async (on) => {
      const undo = on.agent.registerTool(on.tool('write'))
      const run = on.run()
      await on.event('text-start')
      undo()
      return on.end(run)
    },
  },
  {
    name: 'a call of a tool that is exchanged meanwhile',
    turns: [
      { text: 'Slowly.', calls: [{ tool: 'write', input: { note: 'n' } }], paceMs: 30 },
      { text: 'Done.' },
    ],
    tools: ['write'],
    play: async (on) => {
      const run = on.run()
      await on.event('text-start')
      const tool = { ...on.tool('write'), description: 'Another one.' }
      on.agent.registerTool(tool, { replace: true })
      return on.end(run)
    },
  },
  {
    name: 'tools that are enabled step by step',
    turns: [
      { calls: [{ tool: 'add', input: { a: 1, b: 1 } }] },
      { calls: [{ tool: 'write' }] },
      { text: 'Done.' },
    ],
    tools: ['add', 'write'],
    options: { enabledTools: ['add'] },
    play: async (on) => {
      const run = on.run()
      await on.event('tool-execution-start')
      on.agent.setEnabledTools(['add', 'write'])
      return on.end(run)
    },
  },
  {
    name: 'another model in the second step',
    turns: one({ tool: 'read' }),
    tools: ['read'],
    play: async (on) => {
      const run = on.run()
      await on.event('tool-execution-start')
      on.agent.configure({
        model: {
          provider: 'scripted',
          model: 's',
          script: { steps: [{}, { text: 'From the script.' }] },
        },
      })
      return on.end(run)
    },
  },
]

export const calls: readonly Scenario[] = [...each, ...wrong, ...groups, ...courses]
