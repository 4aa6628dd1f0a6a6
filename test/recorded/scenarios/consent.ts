import type { AgentOptions } from '../../../src/index.ts'
import type { Scenario } from '../record.ts'
import type { Turns } from '../stage/played-model.ts'
import { replyUntilEnd } from '../stage/reply.ts'
import type { Stage } from '../stage/stage.ts'

const removal: Turns = [
  { text: 'I remove it.', calls: [{ tool: 'remove', input: { id: 7 } }] },
  { text: 'It is done.' },
]
const pair: Turns = [
  {
    calls: [
      { tool: 'remove', input: { id: 1 } },
      { tool: 'remove', input: { id: 2 } },
    ],
  },
  { text: 'Both were looked at.' },
]

const approve = (on: Stage, id = on.asked, input?: object) =>
  on.ask('approve', (agent) =>
    agent.approve(id, input === undefined ? {} : { input: input as { id: number } }),
  )
const deny = (on: Stage, id = on.asked, reason?: string) =>
  on.ask('deny', (agent) => agent.deny(id, reason))
const answer = (on: Stage, text: string) =>
  on.ask('answer', (agent) => agent.answer(on.asked, text))

/** A run that is answered when it asks for consent. */
function asked(name: string, turns: Turns, reply: (on: Stage) => Promise<unknown>): Scenario {
  return {
    name,
    turns,
    tools: ['remove', 'read', 'write', 'careful'],
    options: { controlTools: ['ask_user', 'finish_task'] },
    play: async (on) => {
      const run = on.run()
      await reply(on)
      return on.end(run)
    },
  }
}

const approvals: readonly Scenario[] = [
  asked('an approval', removal, async (on) => {
    await on.event('tool-approval-request')
    await approve(on)
  }),
  asked('a denial', removal, async (on) => {
    await on.event('tool-approval-request')
    await deny(on)
  }),
  asked('a denial with a reason', removal, async (on) => {
    await on.event('tool-approval-request')
    await deny(on, on.asked, 'Keep it.')
  }),
  asked('an approval with another input', removal, async (on) => {
    await on.event('tool-approval-request')
    await approve(on, on.asked, { id: 8 })
  }),
  asked('an approval with an input that does not fit, then a good one', removal, async (on) => {
    await on.event('tool-approval-request')
    await approve(on, on.asked, { id: 'x' })
    await approve(on, on.asked, { id: 9 })
  }),
  asked('an approval long after', removal, async (on) => {
    await on.event('tool-approval-request')
    await on.pause(120_000)
    await approve(on)
  }),
  asked('two answers to one question of consent', removal, async (on) => {
    await on.event('tool-approval-request')
    await Promise.all([approve(on), deny(on)])
    await approve(on)
  }),
  asked('two approvals', pair, async (on) => {
    await on.event('tool-approval-request', { nth: 2 })
    await approve(on, 'c1.0.1')
    await approve(on, 'c1.0.2')
  }),
  asked('two approvals, the second first', pair, async (on) => {
    await on.event('tool-approval-request', { nth: 2 })
    await approve(on, 'c1.0.2')
    await approve(on, 'c1.0.1')
  }),
  asked('one approved, one denied', pair, async (on) => {
    await on.event('tool-approval-request', { nth: 2 })
    await approve(on, 'c1.0.1')
    await deny(on, 'c1.0.2', 'Not this one.')
  }),
  asked('consent in each step', [...removal.slice(0, 1), ...removal], async (on) => {
    for (const nth of [1, 2]) {
      await on.event('tool-approval-request', { nth })
      await approve(on)
    }
  }),
  asked(
    'consent where the input says so',
    [
      {
        calls: [
          { tool: 'careful', input: {} },
          { tool: 'careful', input: { risky: true } },
        ],
      },
      { text: 'Careful.' },
    ],
    async (on) => {
      await on.event('tool-approval-request')
      await approve(on)
    },
  ),
  asked(
    'one that asks between two that do not',
    [
      { calls: [{ tool: 'read' }, { tool: 'remove', input: { id: 1 } }, { tool: 'write' }] },
      { text: 'Done.' },
    ],
    async (on) => {
      await on.event('tool-approval-request')
      await on.pause(1000)
      await approve(on)
    },
  ),
  asked('an abort while consent is asked for', removal, async (on) => {
    await on.event('tool-approval-request')
    on.runs[0]?.run.abort('never mind')
  }),
]

const policies: readonly Scenario[] = (
  [
    ['never', 'never'],
    ['writes', 'writes'],
    ['always', 'always'],
    ['a function', ({ toolName }) => toolName === 'read'],
    [
      'a function that throws',
      () => {
        throw new Error('Which?')
      },
    ],
  ] as [string, NonNullable<AgentOptions['toolApproval']>][]
).map(([name, toolApproval]) => ({
  name: `consent by policy: ${name}`,
  turns: [{ calls: [{ tool: 'read' }, { tool: 'write' }] }, { text: 'Done.' }],
  tools: ['read', 'write'],
  options: { toolApproval },
  play: async (on) => replyUntilEnd(on, on.run()),
}))

const question = (options?: readonly string[]): Turns => [
  {
    text: 'I ask.',
    calls: [
      {
        tool: 'ask_user',
        input: { question: 'Which?', ...(options && { options: [...options] }) },
      },
    ],
  },
  { text: 'I see.' },
]

const questions: readonly Scenario[] = [
  asked('a question', question(), async (on) => {
    await on.event('question')
    await answer(on, 'The blue one.')
    await answer(on, 'The red one.')
  }),
  asked('a question with options', question(['blue', 'red']), async (on) => {
    await on.event('question')
    await approve(on)
    await answer(on, 'red')
  }),
  asked('a question that is never answered', question(), async (on) => {
    await on.event('question')
    on.agent.abort()
  }),
  asked(
    'a question beside a consent and a call',
    [
      {
        calls: [
          { tool: 'ask_user', input: { question: 'Sure?' } },
          { tool: 'remove', input: { id: 3 } },
          { tool: 'read' },
        ],
      },
      { text: 'Done.' },
    ],
    async (on) => {
      await on.event('question')
      await answer(on, 'Yes.')
      await on.event('tool-approval-request')
      await approve(on, 'c1.0.2')
    },
  ),
  asked(
    'a question that is no question',
    [{ calls: [{ tool: 'ask_user', input: {} }] }, { text: 'Oh.' }],
    async () => undefined,
  ),
  asked(
    'the end of the task',
    [{ text: 'Finished.', calls: [{ tool: 'finish_task', input: { result: 'All is well.' } }] }],
    async () => undefined,
  ),
  asked(
    'the end of the task without a word',
    [{ calls: [{ tool: 'finish_task', input: { result: 'Silent but done.' } }] }],
    async () => undefined,
  ),
  asked(
    'the end of the task beside a call',
    [{ calls: [{ tool: 'read' }, { tool: 'finish_task', input: { result: 'Read.' } }] }],
    async () => undefined,
  ),
  asked(
    'the end of the task in the second step',
    [
      { text: 'First.', calls: [{ tool: 'read' }] },
      { calls: [{ tool: 'finish_task', input: {} }] },
    ],
    async () => undefined,
  ),
]

export const consent: readonly Scenario[] = [...approvals, ...policies, ...questions]
