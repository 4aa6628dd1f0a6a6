import type { ErrorCode, ErrorData } from '../../../src/protocol/error.ts'
import type { Scenario } from '../record.ts'
import type { Turn } from '../stage/played-model.ts'

const error = (code: ErrorCode, retryable = false, details?: ErrorData['details']): ErrorData => ({
  code,
  message: `The model failed: ${code}.`,
  retryable,
  ...(details && { details }),
})

const usage = { inputTokens: 10, outputTokens: 2 }
const call = { tool: 'read', input: { note: 'n' } } as const
const good: Turn = { text: 'There it is.', usage: { inputTokens: 11, outputTokens: 4 } }

/** Attempts at one answer, before the good one. */
const attempts: readonly (readonly [string, readonly Turn[]])[] = [
  ['nothing at all', [{ ends: 'cut' }]],
  ['half a text', [{ text: 'There it i', ends: 'cut', paceMs: 30 }]],
  ['half a text, and usage', [{ text: 'There', usage, ends: 'cut' }]],
  ['half a thought', [{ reasoning: 'I thin', ends: 'cut', paceMs: 30 }]],
  [
    'half the arguments',
    [{ text: 'So', calls: [{ ...call, streams: true }], ends: 'cut', paceMs: 30 }],
  ],
  ['an overload', [{ ends: error('overloaded', true) }]],
  ['a text and an overload', [{ text: 'The', usage, ends: error('overloaded', true) }]],
  ['a limit of rate', [{ ends: error('rate-limited', true, { retryAfterMs: 4000 }) }]],
  [
    'usage and a network that fails, twice',
    [
      { usage, ends: error('network', true) },
      { text: 'A', usage, ends: error('network', true) },
    ],
  ],
]

const retried: readonly Scenario[] = attempts.flatMap(([name, failed]) => [
  { name: `retried after ${name}`, turns: [[...failed, good]], tools: ['read' as const] },
  {
    name: `retried in the second step after ${name}`,
    turns: [{ text: 'First I read.', calls: [call], usage }, [...failed, good]],
    tools: ['read' as const],
  },
])

const last: readonly (readonly [string, Turn])[] = [
  ['a broken key', { ends: error('authentication') }],
  ['a broken key after some text', { text: 'Half of ', usage, ends: error('permission-denied') }],
  ['an exception', { ends: 'throws' }],
  ['an exception after some text', { text: 'Half of ', ends: 'throws' }],
  ['an exception after a thought', { reasoning: 'Half of ', ends: 'throws' }],
  ['the context being too long', { usage, ends: error('context-overflow') }],
  [
    'half the arguments and an error',
    { calls: [{ ...call, streams: true }], ends: error('provider-error') },
  ],
  [
    'a limit of rate that is too far away',
    { ends: error('rate-limited', true, { retryAfterMs: 90_000 }) },
  ],
]

const failed: readonly Scenario[] = last.flatMap(([name, turn]) => [
  {
    name: `failed by ${name}`,
    turns: [turn],
    tools: ['read' as const],
    play: async (on) => {
      await on.end(on.run('First'))
      // The second run sees everything that was stored of the first.
      await on.end(on.run('Second'))
    },
  },
  {
    name: `failed in the second step by ${name}`,
    turns: [{ text: 'First I read.', calls: [call], usage }, turn],
    tools: ['read' as const],
  },
])

const others: readonly Scenario[] = [
  {
    name: 'retries that are used up',
    turns: [[{ text: 'One', usage, ends: 'cut' }]],
    model: { retry: { maxRetries: 2, baseDelayMs: 100 } },
  },
  {
    name: 'no retries',
    turns: [[{ text: 'One', ends: 'cut' }]],
    model: { retry: { maxRetries: 0 } },
  },
  {
    name: 'an abort between two attempts',
    turns: [[{ text: 'One', usage, ends: 'cut' }]],
    play: async (on) => {
      const run = on.run()
      await on.event('retry')
      run.run.abort('not again')
      return on.end(run)
    },
  },
  {
    name: 'too much text',
    turns: [{ text: 'This is more than there may be.', usage }],
    model: { caps: { text: 10 } },
  },
  {
    name: 'too many calls',
    turns: [{ text: 'Many.', calls: [call, call, call] }],
    tools: ['read'],
    model: { caps: { calls: 2 } },
  },
  {
    name: 'a server that refuses tools',
    turns: [
      [{ ends: error('tools-unsupported') }, { text: 'In words, then.', calls: [call] }],
      { text: 'Read.' },
    ],
    tools: ['read'],
    play: async (on) => {
      await on.end(on.run('First'))
      await on.end(on.run('Second'))
    },
  },
  {
    name: 'a server that refuses tools in the middle of a text',
    turns: [[{ text: 'I wi', usage, ends: error('tools-unsupported') }, { text: 'In words.' }]],
    tools: ['read'],
  },
  {
    name: 'a server that refuses tools though they are wanted',
    turns: [{ ends: error('tools-unsupported') }],
    tools: ['read'],
    model: { toolMode: 'native' },
  },
  { name: 'a provider that nobody knows', model: { provider: 'nobody' } },
  { name: 'an address that is none', model: { provider: 'openai-compatible', baseURL: 'nowhere' } },
  {
    name: 'a tool whose schema can not be used',
    turns: [{ text: 'Never.' }],
    play: async (on) => {
      on.agent.registerTool({
        name: 'odd',
        description: 'odd',
        inputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } },
        execute: () => 1,
      })
      return on.end(on.run())
    },
  },
  {
    name: 'context that throws',
    turns: [{ text: 'Without it.' }],
    options: {
      context: () => {
        throw new Error('No context.')
      },
    },
  },
]

export const failures: readonly Scenario[] = [...retried, ...failed, ...others]
