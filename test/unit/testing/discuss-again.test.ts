import { expect, test } from 'vitest'
import { createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { answer, call, gate, talk } from './talk.ts'

test('a question about a waiting call is answered although the run has reached its limit', async () => {
  const turns = [call('buy'), answer('It is cheap.')]
  const { chat } = talk(turns, createTestStorage(), { limits: { steps: 1 } })
  void chat.send('Buy')
  await until(() => chat.getSnapshot().pending.length === 1)
  const run = await chat.discuss(chat.getSnapshot().pending[0]!, 'Why?')
  expect(await run?.result).toMatchObject({ outcome: 'completed', text: 'It is cheap.' })
})

test('after a reload, a question waits for the answer that was cut off, and is answered', async () => {
  const storage = createTestStorage()
  const never = gate()
  const first = talk([call('buy'), [{ type: 'text-delta', delta: 'Becau' }, never.opened]], storage)
  void first.chat.send('Buy')
  await until(() => first.chat.getSnapshot().pending.length === 1)
  await first.chat.discuss(first.chat.getSnapshot().pending[0]!, 'Why?')
  await until(() => first.sent.length === 2)
  simulateReload()
  const second = talk([answer('Because.'), answer('Today.')], storage)
  await second.agent.resume('talk')
  await until(() => second.chat.getSnapshot().pending.length === 1)
  const run = await second.chat.discuss(second.chat.getSnapshot().pending[0]!, 'And when?')
  expect(await run?.result).toMatchObject({ outcome: 'completed', text: 'Today.' })
})
