import type { Scenario } from '../record.ts'
import { replyUntilEnd } from '../stage/reply.ts'
import type { Turn, Turns } from '../stage/played-model.ts'
import type { ToolName } from '../stage/toolbox.ts'

const add = { tool: 'add', input: { a: 1, b: 2 } } as const
const block = (body: string): string => `<ACTION>\n${body}\n</ACTION>`

/** Calls in text. */
function written(
  name: string,
  turns: Turns,
  tools: readonly ToolName[] = ['add', 'read'],
): Scenario {
  return { name: `ACTION: ${name}`, turns, tools, model: { toolMode: 'action' } }
}

const action: readonly Scenario[] = [
  written('a text', [{ text: 'No call at all.', paceMs: 20 }]),
  written('a call', [{ text: 'I add.', calls: [add], paceMs: 15 }, { text: 'Three.' }]),
  written('two calls', [
    { calls: [add, { tool: 'read', input: { note: 'n' } }] },
    { text: 'Three.' },
  ]),
  written('a thought and a call', [
    { text: '<think>I should add.</think>Let me add.', calls: [add], paceMs: 10 },
    { text: '<think>Good.</think>Three.' },
  ]),
  written('reasoning of the provider', [{ reasoning: 'Add.', calls: [add] }, { text: 'Three.' }]),
  written('an unknown tool', [
    { text: block('[{"tool_name":"ad","params":{"a":1,"b":2}}]') },
    { text: 'Sorry.' },
  ]),
  written('an input that does not fit', [
    { text: block('[{"tool_name":"add","params":{"a":"x"}}]') },
    { calls: [add] },
    { text: 'Three.' },
  ]),
  written('a block that can not be read', [
    { text: `I try. ${block('[{"tool_name": ??? }]')}` },
    { text: 'Then in words.' },
  ]),
  written(
    'blocks that can never be read',
    Array.from({ length: 6 }, () => ({ text: block('{{{{') })),
  ),
  written('a block without an end', [
    { text: '<ACTION>\n[{"tool_name":"add","par' },
    { text: 'Cut.' },
  ]),
  written('a block that is cut off by its length', [
    { text: '<ACTION>\n[{"tool_name":"add","params":{"a":1', finish: 'length' },
    { text: 'Cut.' },
  ]),
  written('a good call beside a bad one', [
    {
      text: block('[{"tool_name":"add","params":{"a":1,"b":2}},{"tool_name":"nope","params":{}}]'),
    },
    { text: 'Half.' },
  ]),
  written('text after the block', [
    { text: `${block('[{"tool_name":"add","params":{"a":1,"b":2}}]')}\nAnd I think it is three.` },
    { text: 'Three.' },
  ]),
  {
    ...written(
      'consent',
      [{ text: 'I remove.', calls: [{ tool: 'remove', input: { id: 1 } }] }, { text: 'Not so.' }],
      ['remove'],
    ),
    play: async (on) =>
      replyUntilEnd(on, on.run(), (_, { toolCallId }) =>
        on.ask('deny', (agent) => agent.deny(toolCallId, 'Not this.')),
      ),
  },
  { ...written('raw output', [{ calls: [add] }, { text: 'Three.' }]), options: { raw: true } },
  {
    ...written('one-shot', [{ calls: [add] }, { text: 'Three.' }]),
    options: { maxSteps: 0 },
    play: async (on) => {
      const result = await on.end(on.run())
      const next = await on.supply(result?.toolCalls[0]?.toolCallId ?? '', 3)
      if (next) await on.end(next)
    },
  },
  {
    ...written('an abort in the block', [{ text: 'I add.', calls: [add], paceMs: 30 }]),
    play: async (on) => {
      const run = on.run()
      await on.event('text-delta', { nth: 2 })
      run.run.abort()
      return on.end(run)
    },
  },
  written('a block that breaks off, and a second attempt', [
    [{ text: block('[{"tool_name":"add","par').slice(0, -9), ends: 'cut' }, { calls: [add] }],
    { text: 'Three.' },
  ]),
  {
    ...written('a crash in the second step', [
      { calls: [add] },
      { text: 'Three, slowly.', paceMs: 50 },
    ]),
    play: async (on) => {
      on.run()
      await on.event('text-delta')
      on.crash()
      const run = await on.resume()
      if (run) await on.end(run)
    },
  },
]

const foreign = '<tool_call>{"name":"add","arguments":{"a":1,"b":2}}</tool_call>'

function rescued(name: string, turn: Turn, more: Partial<Scenario> = {}): Scenario {
  return {
    name: `in the text of a model with native calls: ${name}`,
    turns: [turn, { text: 'Three.' }],
    tools: ['add', 'read', 'remove'],
    ...more,
  }
}

const rescues: readonly Scenario[] = [
  rescued('a call', { text: foreign }),
  rescued('a call after some words', { text: `I add now.\n${foreign}`, paceMs: 10 }),
  rescued(
    'a call beside a native one',
    { text: foreign, calls: [{ tool: 'read' }] },
    { play: async (on) => replyUntilEnd(on, on.run()) },
  ),
  rescued('a block', { text: block('[{"tool_name":"add","params":{"a":1,"b":2}}]') }),
  rescued('a call that can not be read', { text: '<tool_call>{"name":"add","arg</tool_call>' }),
  rescued('rescue is off', { text: foreign }, { model: { rescue: 'off' } }),
  rescued(
    'a quotation of the person, which asks for consent',
    { text: foreign },
    {
      play: async (on) => {
        return replyUntilEnd(on, on.run(`What does ${foreign} do?`))
      },
    },
  ),
  rescued(
    'a quotation, one-shot',
    { text: foreign },
    {
      options: { maxSteps: 0 },
      play: async (on) => on.end(on.run(`What does ${foreign} do?`)),
    },
  ),
]

export const actions: readonly Scenario[] = [...action, ...rescues]
