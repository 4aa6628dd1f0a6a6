import { expect, test } from 'vitest'
import { defineTool } from '../../../src/index.ts'
import { createTestStorage } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { answer, call, talk } from './talk.ts'

test('the model learns of the undo of a call within a composite tool', async () => {
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    execute: () => 'added',
    undo: () => undefined,
  })
  const order = defineTool({
    name: 'order',
    description: 'Orders.',
    run: async (_input, { call: callTool }) => callTool('add'),
  })
  const turns = [call('order'), answer('Ordered.'), answer('I see.')]
  const { chat } = talk(turns, createTestStorage(), { tools: [add, order] })
  await chat.send('Order it').result
  const nested = () =>
    chat
      .getSnapshot()
      .messages.flatMap(({ calls = [] }) => calls)
      .find(({ toolName }) => toolName === 'add')
  await until(() => nested()?.undoable === true)
  expect(await chat.undo(nested()?.toolCallId ?? '')).toBe(true)
  await until(() => nested()?.undo === 'done')
  const results = chat
    .getSnapshot()
    .messages.flatMap(({ role, parts }) => (role === 'tool' ? parts : []))
  expect(results).toMatchObject([{ note: expect.stringContaining('undone') }])
})

test('the model learns of an undo although its call was summarized before', async () => {
  const buy = defineTool({
    name: 'buy',
    description: 'Buys.',
    execute: () => 'a mug, '.repeat(5000),
    undo: () => undefined,
  })
  const turns = [call('buy'), answer('Bought.'), answer('Yes.'), answer('I see.')]
  const { chat, sent } = talk(turns, createTestStorage(), {
    tools: [buy],
    compaction: {
      contextWindow: 8000,
      policy: ({ messages }) => {
        const asked = messages.filter(({ message }) => message.role === 'user')
        const firstKept = asked[1]?.id
        return firstKept === undefined ? null : { summary: 'A mug was bought.', firstKept }
      },
    },
  })
  await chat.send('Buy a mug').result
  await chat.send('Is it bought?').result
  expect(sent.at(-1)?.join()).toContain('A mug was bought.')
  const bought = chat
    .getSnapshot()
    .messages.flatMap(({ calls = [] }) => calls)
    .find(({ toolName }) => toolName === 'buy')
  expect(await chat.undo(bought?.toolCallId ?? '')).toBe(true)
  await chat.send('And now?').result
  expect(sent.at(-1)?.join()).toMatch(/undone/i)
})
