import type { HistoryMessage } from '../../../src/index.ts'
import type { Scenario } from '../record.ts'
import type { Turns } from '../stage/played-model.ts'
import { replyUntilEnd } from '../stage/reply.ts'
import type { Followed, Stage } from '../stage/stage.ts'
import { oneShot } from './one-shot.ts'

const openai: readonly HistoryMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Two mugs' }] },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"q":"mug"}' } },
      { id: 'call_2', type: 'function', function: { name: 'add', arguments: '{"n":2}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'found' },
]

const anthropic: readonly HistoryMessage[] = [
  { role: 'user', content: 'Two mugs' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'call_1', name: 'find', input: { q: 'mug' } },
      { type: 'tool_use', id: 'call_2', name: 'add', input: { n: 2 } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'found' }] },
    ],
  },
]

const own: readonly HistoryMessage[] = [
  { role: 'user', id: 'mine', parts: [{ type: 'text', text: 'Two mugs' }] },
  {
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'hm' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'find', input: { q: 'mug' } },
      { type: 'tool-call', toolCallId: 'call_2', toolName: 'add', input: { n: 2 } },
    ],
    providerMetadata: { played: { signature: 's' } },
  },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        toolCallId: 'call_1',
        toolName: 'find',
        output: { type: 'text', value: 'found' },
      },
    ],
  },
]

const closed: HistoryMessage = {
  role: 'tool',
  parts: [
    {
      type: 'tool-result',
      toolCallId: 'call_2',
      toolName: 'add',
      output: { type: 'json', value: { n: 2 } },
    },
  ],
}

const histories: readonly Scenario[] = [
  ...(
    [
      ['OpenAI', openai],
      ['Anthropic', anthropic],
      ['Offstage', own],
    ] as const
  ).flatMap(([shape, history]) => [
    {
      name: `a history of ${shape} with an open call`,
      turns: [{ text: 'I go on.' }],
      play: async (on: Stage) => {
        await on.end(on.run('And a pot', { history }))
        await on.end(on.run('Well?'))
        const next = await on.supply('call_2', { ok: true })
        if (next) await on.end(next)
        await on.end(on.run('And now?'))
      },
    },
    {
      name: `a history of ${shape} up to its first message`,
      turns: [{ text: 'I go on.' }],
      play: async (on: Stage) => {
        const first = history.filter(({ role }) => role === 'user').slice(0, 1)
        await on.end(on.run('And a pot', { history: first }))
        await on.end(on.run('Once more', { history: first }))
      },
    },
  ]),
  {
    name: 'a history whose calls are closed',
    turns: [{ text: 'I go on.', calls: [{ tool: 'read', id: 'call_1' }] }, { text: 'Done.' }],
    tools: ['read'],
    play: async (on) => on.end(on.run('And a pot', { history: [...own, closed] })),
  },
  {
    name: 'a history that is none',
    turns: [{ text: 'Never.' }],
    play: async (on) =>
      on.end(on.run('Hi', { history: [{ role: 'nobody' } as unknown as HistoryMessage] })),
  },
  {
    name: 'a history with an open call, after a reload',
    turns: [{ text: 'I go on.' }],
    play: async (on) => {
      await on.end(on.run('And a pot', { history: openai }))
      await on.reload()
      await on.pause(100)
      const next = await on.supply('call_2', 'added')
      if (next) await on.end(next)
    },
  },
]

/** A run that nobody's message began: it goes on from the output of an imported call. */
async function goOnFromOutput(on: Stage): Promise<Followed | null> {
  await on.end(on.run('And a pot', { history: own }))
  return on.supply('call_2', 'added')
}

const goingOn: Turns = [
  {},
  { text: 'First I read.', calls: [{ tool: 'read' }] },
  { text: 'May I?', calls: [{ tool: 'remove', input: { id: 1 } }] },
  { text: 'Done.', paceMs: 30 },
]

const withoutMessage: readonly Scenario[] = (
  [
    ['agreed to', replyUntilEnd],
    [
      'reloaded, and agreed to',
      async (on) => {
        await on.event('tool-approval-request')
        await on.reload()
        const run = await on.resume()
        return run && replyUntilEnd(on, run)
      },
    ],
    [
      'whose page crashes in the last text',
      async (on) => {
        await on.event('tool-approval-request')
        await on.ask('approve', (agent) => agent.approve('c1.2.1'))
        await on.event('text-delta', { nth: 3 })
        on.crash()
        const run = await on.resume()
        return run && on.end(run)
      },
    ],
    [
      'that a second agent follows',
      async (on, first) => {
        await on.event('tool-approval-request')
        on.open({}, ['talk'])
        const run = await on.resume()
        if (run) await replyUntilEnd(on, run)
        return on.end(first)
      },
    ],
    [
      'that is aborted',
      async (on, run) => {
        await on.event('tool-approval-request')
        run.run.abort('no')
        return on.end(run)
      },
    ],
  ] as [string, (on: Stage, run: Followed) => Promise<unknown>][]
).map(([name, play]) => ({
  name: `a run without a message: ${name}`,
  turns: goingOn,
  tools: ['read', 'remove'],
  play: async (on) => {
    const run = await goOnFromOutput(on)
    if (run) await play(on, run)
  },
}))

export const handed: readonly Scenario[] = [...oneShot, ...histories, ...withoutMessage]
