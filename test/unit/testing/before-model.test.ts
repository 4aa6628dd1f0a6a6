import { expect, test, vi } from 'vitest'
import type { AgentOptions, ProposedRequest } from '../../../src/index.ts'
import { createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { answer, call, gate, heldStorage, said, statusOf, talk } from './talk.ts'

type BeforeModel = NonNullable<AgentOptions['beforeModel']>

const textOf = ({ messages }: ProposedRequest): string =>
  messages
    .at(-1)
    ?.parts.map((part) => (part.type === 'text' ? part.text : ''))
    .join('') ?? ''

const append: BeforeModel = (request) => ({ appendToLastUser: ` [to ${textOf(request)}]` })

const mine = ({ chat }: Pick<ReturnType<typeof talk>, 'chat'>) =>
  chat.getSnapshot().messages.filter(({ role }) => role === 'user')

test("appended text is sent after the person's message, and stays there", async () => {
  const beforeModel = vi.fn(append)
  const turns = [call('quick'), answer('One done.'), answer('Two done.')]
  const set = talk(turns, createTestStorage(), { beforeModel })
  const { chat, sent } = set
  const run = chat.send('One')
  await run.result
  await chat.send('Two').result
  expect(sent).toEqual([
    ['One [to One]'],
    ['One [to One]', '', '[text]'],
    ['One [to One]', '', '[text]', 'One done.', 'Two [to Two]'],
  ])
  // The hook runs once for each message of the user, and not for tool results.
  expect(beforeModel.mock.calls.map(([{ step }]) => step)).toEqual([1, 1])
  expect(beforeModel.mock.calls[0]?.[0]).toMatchObject({
    runId: run.runId,
    conversationId: 'talk',
    messages: [{ role: 'user', parts: [{ text: 'One' }] }],
  })
  await until(() => said(chat).includes('Two done.'))
  expect(said(chat)).toEqual(['One', '', 'One done.', 'Two', 'Two done.'])
  expect(mine(set).map(({ sent: as }) => as)).toEqual([
    { appended: ' [to One]' },
    { appended: ' [to Two]' },
  ])
})

test("replacement text is sent instead of the person's, with the same files", async () => {
  const beforeModel: BeforeModel = () => ({ rewriteLastUser: 'Else', appendToLastUser: '!' })
  const set = talk([answer('Done.')], createTestStorage(), { beforeModel })
  const { chat, sent } = set
  await chat.send([
    { type: 'text', text: 'One' },
    { type: 'file', mediaType: 'text/plain', data: btoa('file') },
  ]).result
  expect(sent[0]?.[0]).toContain('Else')
  expect(sent[0]?.[0]).toMatch(/!$/)
  expect(sent[0]?.[0]).not.toContain('One')
  await until(() => mine(set)[0]?.sent !== undefined)
  expect(mine(set)[0]).toMatchObject({
    parts: [{ text: 'One' }, { type: 'file' }],
    sent: { rewritten: 'Else', appended: '!' },
  })
})

test('beforeModel is called for messages during the run too', async () => {
  const { chat, sent, work } = talk([call('work'), answer('Both.')], createTestStorage(), {
    beforeModel: append,
  })
  const run = chat.send('One')
  await until(() => statusOf(chat, 'work') === 'executing')
  run.send('Two')
  await until(() => chat.getSnapshot().queued.length === 1)
  work.open()
  await run.result
  expect(sent[1]).toEqual(['One [to One]', '', '[text]', 'Two [to Two]'])
})

test('beforeModel is called for each of several messages of one step', async () => {
  const { chat, sent, work } = talk([call('work'), answer('Both.')], createTestStorage(), {
    beforeModel: append,
  })
  const run = chat.send('One')
  await until(() => statusOf(chat, 'work') === 'executing')
  run.send('Two')
  run.send('Three')
  await until(() => chat.getSnapshot().queued.length === 2)
  work.open()
  await run.result
  expect(sent[1]).toEqual(['One [to One]', '', '[text]', 'Two [to Two]', 'Three [to Three]'])
})

test('beforeModel is called for each of several messages that begin a run', async () => {
  const told = gate()
  const turns = [[told.opened, ...answer('First.')], answer('Second.')]
  const { chat, sent } = talk(turns, createTestStorage(), { beforeModel: append })
  const run = chat.send('One')
  await until(() => sent.length === 1)
  const next = run.send('Two', { when: 'after-run' })
  run.send('Three', { when: 'after-run' })
  await until(() => chat.getSnapshot().queued.length === 2)
  told.open()
  const delivered = await next.outcome
  if (delivered.status === 'delivered') await delivered.run?.result
  expect(sent[1]).toEqual(['One [to One]', 'First.', 'Two [to Two]', 'Three [to Three]'])
})

test('a resumed step sends the same text without calling beforeModel again', async () => {
  const testStorage = createTestStorage()
  const first = talk([[gate().opened]], testStorage, { beforeModel: append })
  first.chat.send('One')
  await until(() => first.sent.length === 1)
  await first.agent.dispose()
  simulateReload()

  const beforeModel = vi.fn<BeforeModel>(() => ({ appendToLastUser: 'other' }))
  const second = talk([answer('Done.'), answer('Again.')], testStorage, { beforeModel })
  await (
    await second.agent.resume('talk')
  )?.result
  expect(second.sent).toEqual(first.sent)
  expect(beforeModel).not.toHaveBeenCalled()
  // Nor does an answer that is given anew.
  await second.chat.regenerate().result
  expect(second.sent[1]).toEqual(first.sent[0])
  expect(beforeModel).not.toHaveBeenCalled()
})

test('a beforeModel that returned nothing is not called again either', async () => {
  const testStorage = createTestStorage()
  const beforeModel = vi.fn<BeforeModel>(() => undefined)
  const first = talk([[gate().opened]], testStorage, { beforeModel })
  first.chat.send('One')
  await until(() => first.sent.length === 1)
  await first.agent.dispose()
  simulateReload()
  const second = talk([answer('Done.')], testStorage, { beforeModel })
  await (
    await second.agent.resume('talk')
  )?.result
  expect(second.sent).toEqual([['One']])
  expect(beforeModel).toHaveBeenCalledTimes(1)
  expect(mine(second).some(({ sent }) => sent !== undefined)).toBe(false)
})

test.each<[string, BeforeModel]>([
  [
    'throws',
    () => {
      throw new Error('No.')
    },
  ],
  ['returns no text', () => ({ appendToLastUser: 7 as never })],
])('a beforeModel that %s changes nothing', async (_how, beforeModel) => {
  const { agent, chat, sent } = talk([answer('Done.')], createTestStorage(), { beforeModel })
  const seen: string[] = []
  agent.on('warning', ({ code }) => seen.push(code))
  expect(await chat.send('One').result).toMatchObject({ outcome: 'completed' })
  expect(sent).toEqual([['One']])
  expect(seen).toEqual(['hook-failed'])
})

test.each(['abort', 'now'])('while beforeModel runs: %s', async (what) => {
  let asked = 0
  const beforeModel: BeforeModel = (request) => {
    asked += 1
    return asked === 1 ? new Promise(() => undefined) : append(request)
  }
  const { chat, sent } = talk([answer('Done.')], createTestStorage(), { beforeModel })
  const run = chat.send('One')
  await until(() => asked === 1)
  if (what === 'abort') run.abort('enough')
  else run.send('Two', { when: 'now' })
  expect((await run.result).outcome).toBe(what === 'abort' ? 'aborted' : 'completed')
  expect(sent).toEqual(what === 'abort' ? [] : [['One [to One]', 'Two [to Two]']])
})

test('an abort at the commit sends no request to the model', async () => {
  const { testStorage, reached, release } = heldStorage('message-amended')
  const { chat, sent } = talk([answer('Done.')], testStorage, { beforeModel: append })
  const run = chat.send('One')
  await reached
  run.abort('enough')
  expect((await run.result).outcome).toBe('aborted')
  release()
  await until(() => chat.getSnapshot().status === 'idle')
  expect(sent).toEqual([])
})
