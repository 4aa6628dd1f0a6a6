import { describe, expect, onTestFinished, test } from 'vitest'
import { createAgent, OffstageError } from '../../../src/index.ts'
import { createTestStorage, inProcessWorker, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { answer, call, gate, heldStorage, said, statusOf, talk, typesOf } from './talk.ts'

const AFTER = { when: 'after-run' } as const

test('an after-run message begins the next run, in the append that ends this run', async () => {
  const testStorage = createTestStorage()
  const { chat, sent, work, agent } = talk(
    [call('work'), answer('One done.'), answer('Two done.')],
    testStorage,
  )
  const run = chat.send('One', { maxSteps: 7 })
  await until(() => statusOf(chat, 'work') === 'executing')
  const { messageId, outcome } = run.send('Two', AFTER)
  await until(() => chat.getSnapshot().queued.length === 1)
  expect(chat.getSnapshot().queued).toMatchObject([{ id: messageId, when: 'after-run' }])
  work.open()
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'One done.', steps: 2 })
  const delivered = await outcome
  const next = delivered.status === 'delivered' ? delivered.run : undefined
  expect(next?.runId).toBe(result.nextRunId)
  expect(next?.conversationId).toBe('talk')
  expect(await next?.result).toMatchObject({ outcome: 'completed', text: 'Two done.', steps: 1 })
  // The first run's model was not told.
  expect(sent).toEqual([['One'], ['One', '', '[text]'], ['One', '', '[text]', 'One done.', 'Two']])
  const types: string[] = []
  for await (const { type } of next ?? []) types.push(type)
  expect(types[0]).toBe('run-start')
  expect(types.at(-1)).toBe('run-end')
  expect((await typesOf(run)).at(-1)).toBe('message-delivered')
  await until(() => said(chat).includes('Two done.'))
  expect(chat.getSnapshot()).toMatchObject({ queued: [], status: 'idle' })
  const stored = await agent.conversations.get('talk')
  expect(stored?.messages.find(({ id }) => id === messageId)).toEqual({
    role: 'user',
    id: messageId,
    parts: [{ type: 'text', text: 'Two' }],
  })
  const store = await testStorage.open('offstage')
  const { rows } = await store.read('talk')
  const types2 = rows as { type: string; appendId: string; runId: string; limits?: object }[]
  const end = types2.findIndex(({ type }) => type === 'run-ended')
  expect(types2.slice(end, end + 3).map(({ type }) => type)).toEqual([
    'run-ended',
    'run-started',
    'step-started',
  ])
  expect(new Set(types2.slice(end, end + 3).map(({ appendId }) => appendId)).size).toBe(1)
  expect(types2[end + 1]).toMatchObject({ runId: next?.runId, limits: { maxSteps: 7 } })
})

test('several after-run messages begin one run, without the withdrawn ones', async () => {
  const { chat, sent, work } = talk([call('work'), answer('First.'), answer('Second.')])
  const run = chat.send('One')
  await until(() => statusOf(chat, 'work') === 'executing')
  const [first, second, third] = ['Two', 'Three', 'Four'].map((text) => run.send(text, AFTER))
  const beside = run.send('At once')
  expect(await second?.cancel()).toBe(true)
  work.open()
  expect(await beside.outcome).toEqual({ status: 'delivered' })
  const [of, also] = [await first?.outcome, await third?.outcome]
  expect(of?.status === 'delivered' && of.run).toBeTruthy()
  expect(of).toEqual(also)
  expect(await first?.cancel()).toBe(false)
  if (of?.status === 'delivered') await of.run?.result
  expect(sent[1]?.slice(-1)).toEqual(['At once'])
  expect(sent[2]?.slice(-3)).toEqual(['First.', 'Two', 'Four'])
})

test.each(['aborted', 'failed'] as const)(
  'when a run is %s, the after-run message is returned',
  async (how) => {
    const told = gate()
    const refused = told.opened.then(() => {
      throw new OffstageError('provider-error', 'No.')
    })
    const { chat, sent, agent } = talk([[refused]])
    const run = chat.send('One')
    const { outcome } = run.send('Two', AFTER)
    await until(() => sent.length === 1 && chat.getSnapshot().queued.length === 1)
    if (how === 'aborted') run.abort('enough')
    else told.open()
    expect((await run.result).outcome).toBe(how)
    expect((await run.result).nextRunId).toBeUndefined()
    expect(await outcome).toMatchObject({
      status: 'returned',
      message: { parts: [{ text: 'Two' }] },
    })
    await until(() => chat.getSnapshot().queued.length === 0)
    expect(await agent.resume('talk')).toBeNull()
  },
)

describe('a message with soonest', () => {
  const SOON = { when: 'soonest' } as const

  test('is read at the next step, if there is one', async () => {
    const { chat, sent, work } = talk([call('work'), answer('First.')])
    const run = chat.send('One')
    await until(() => statusOf(chat, 'work') === 'executing')
    const { outcome } = run.send('Two', SOON)
    await until(() => chat.getSnapshot().queued.length === 1)
    work.open()
    expect(await outcome).toEqual({ status: 'delivered' })
    expect((await run.result).nextRunId).toBeUndefined()
    expect(sent).toEqual([['One'], ['One', '', '[text]', 'Two']])
    expect(chat.getSnapshot().messages.map(({ role }) => role)).toContain('user')
  })

  test('otherwise begins the next run, in writing order', async () => {
    const told = gate()
    const { chat, sent } = talk([[told.opened, ...answer('First.')], answer('Second.')])
    const run = chat.send('One')
    await until(() => sent.length === 1)
    const { outcome } = run.send('Two', SOON)
    const after = run.send('Three', AFTER)
    await until(() => chat.getSnapshot().queued.length === 2)
    told.open()
    const delivered = await outcome
    const next = delivered.status === 'delivered' ? delivered.run : undefined
    expect(await after.outcome).toEqual(delivered)
    expect(await next?.result).toMatchObject({ outcome: 'completed', text: 'Second.' })
    expect(sent[1]).toEqual(['One', 'First.', 'Two', 'Three'])
    expect(chat.getSnapshot()).toMatchObject({ queued: [] })
    expect(chat.getSnapshot().unsent).toBeUndefined()
  })

  test('is shown as not sent after a stopped run, even after a reload', async () => {
    const testStorage = createTestStorage()
    const { chat, sent, agent } = talk([[gate().opened]], testStorage)
    const run = chat.send('One')
    await until(() => sent.length === 1)
    for (const text of ['Two', 'Three']) run.send(text, SOON)
    await until(() => chat.getSnapshot().queued.length === 2)
    run.abort('enough')
    const both = { parts: [{ text: 'Two' }, { text: 'Three' }] }
    await until(() => chat.getSnapshot().unsent)
    expect(chat.getSnapshot().unsent).toMatchObject(both)
    await agent.dispose()
    simulateReload()
    const second = talk([answer('Fine.')], testStorage)
    await until(() => second.chat.getSnapshot().unsent)
    expect(second.chat.getSnapshot().unsent).toMatchObject(both)
    await second.chat.send('Four').result
    await until(() => second.chat.getSnapshot().unsent === undefined)
  })
})

test('survives a reload, and so does the run that it began', async () => {
  const testStorage = createTestStorage()
  const first = talk([call('buy')], testStorage)
  const run = first.chat.send('One')
  await until(() => first.chat.getSnapshot().pending.length === 1)
  const { outcome } = run.send('Two', AFTER)
  await until(() => first.chat.getSnapshot().queued.length === 1)
  await first.agent.dispose()
  expect(await outcome).toEqual({ status: 'left' })
  simulateReload()

  const second = talk([answer('Bought.'), [gate().opened]], testStorage)
  await until(() => second.chat.getSnapshot().queued.length === 1)
  const resumed = await second.agent.resume('talk')
  const [pending] = second.chat.getSnapshot().pending
  expect(await second.chat.approve(pending?.toolCallId ?? '')).toBe(true)
  const result = await resumed?.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Bought.' })
  await until(() => second.sent.length === 2)
  // Whoever has no handle of it gets that of the open run.
  const next = await second.agent.resume('talk')
  expect(next?.runId).toBe(result?.nextRunId)
  await second.agent.dispose()
  simulateReload()

  const third = talk([answer('Third.')], testStorage)
  const again = await third.agent.resume('talk')
  expect(again?.runId).toBe(next?.runId)
  expect(await again?.result).toMatchObject({ outcome: 'completed', text: 'Third.' })
  expect(third.sent).toEqual([['One', '', '[text]', 'Bought.', 'Two']])
})

test('an abort at the moment a run ends starts no next run', async () => {
  const { testStorage, reached, release } = heldStorage('run-ended')
  const { chat, sent, agent } = talk([answer('Done.'), answer('Never.')], testStorage)
  const run = chat.send('One')
  const { outcome } = run.send('Two', AFTER)
  await reached
  run.abort('enough')
  expect((await run.result).outcome).toBe('aborted')
  release()
  expect(['returned', 'delivered']).toContain((await outcome).status)
  await until(() => chat.getSnapshot().status === 'idle')
  expect(await agent.resume('talk')).toBeNull()
  expect(sent.length).toBeLessThan(3)
  expect(said(chat)).not.toContain('Never.')
})

test('a replacement run also replaces the run that an after-run message begins', async () => {
  const { testStorage, reached, release } = heldStorage('run-ended')
  const { chat, sent } = talk(
    [answer('Done.'), answer('Another.'), answer('Another.')],
    testStorage,
  )
  const run = chat.send('One')
  run.send('Two', AFTER)
  await reached
  const instead = chat.send('Instead', { ifBusy: 'replace' })
  release()
  expect(await instead.result).toMatchObject({ outcome: 'completed' })
  expect(sent.at(-1)?.at(-1)).toBe('Instead')
})

test('a queued run comes after the run of an after-run message', async () => {
  const { chat, sent, work } = talk([call('work'), answer('1'), answer('2'), answer('3')])
  const run = chat.send('One')
  await until(() => statusOf(chat, 'work') === 'executing')
  const queued = chat.send('Three', { ifBusy: 'queue' })
  run.send('Two', AFTER)
  await until(() => chat.getSnapshot().queued.length === 1)
  work.open()
  await queued.result
  expect(sent.at(-1)).toEqual(['One', '', '[text]', '1', 'Two', '2', 'Three'])
})

test('the run of an after-run message accepts after-run messages too', async () => {
  const hold = gate()
  const { chat, sent } = talk([answer('1'), [hold.opened, ...answer('2')], answer('3')])
  const run = chat.send('One')
  const first = await run.send('Two', AFTER).outcome
  const next = first.status === 'delivered' ? first.run : undefined
  const second = next?.send('Three', AFTER)
  await until(() => chat.getSnapshot().queued.length === 1)
  hold.open()
  const last = await second?.outcome
  expect(last?.status === 'delivered' && (await last.run?.result)?.text).toBe('3')
  expect(sent.at(-1)).toEqual(['One', '1', 'Two', '2', 'Three'])
})

test('a one-shot run that waits for outputs returns its after-run message', async () => {
  const { chat } = talk([call('quick')])
  const run = chat.send('One', { maxSteps: 0 })
  const { outcome } = run.send('Two', AFTER)
  expect((await run.result).outcome).toBe('waiting')
  expect((await outcome).status).toBe('returned')
})

test.each(['before', 'behind'])(
  'an after-run message starts one run when the worker dies %s the final commit',
  async (when) => {
    const inner = createTestStorage()
    let isArmed = true
    const spawn = inProcessWorker({
      storage: {
        open: async (name) => {
          const store = await inner.open(name)
          return {
            ...store,
            append: async (append) => {
              const kills = isArmed && append.rows.some(({ type }) => type === 'run-ended')
              if (!kills) return store.append(append)
              isArmed = false
              if (when === 'behind') await store.append(append)
              worker?.terminate?.()
              return new Promise(() => undefined)
            },
          }
        },
      },
    })
    let worker: ReturnType<typeof spawn> | undefined
    const agent = createAgent({
      model: {
        provider: 'scripted',
        model: 'scripted',
        script: {
          scenes: [
            { match: ['One'], steps: [{ text: 'First.', delayMs: 50 }] },
            { match: ['Two'], steps: [{ text: 'Second.' }] },
          ],
        },
      },
      worker: () => (worker = spawn()),
      heartbeatMs: 20,
    })
    onTestFinished(() => agent.dispose())
    const run = agent.run('One', { conversationId: 'c' })
    const { outcome } = run.send('Two', AFTER)
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'First.' })
    const delivered = await outcome
    const next = delivered.status === 'delivered' ? delivered.run : undefined
    expect(next?.runId).toBe(result.nextRunId)
    expect(await next?.result).toMatchObject({ outcome: 'completed', text: 'Second.' })
    const stored = await agent.conversations.get('c')
    expect(stored?.messages.filter(({ role }) => role === 'user')).toHaveLength(2)
  },
)

test('a returned message stays in unsent when another message begins the next run', async () => {
  const told = gate()
  const { chat, sent } = talk([[told.opened, ...answer('First.')], answer('Second.')])
  const run = chat.send('One')
  await until(() => sent.length === 1)
  const wait = run.send('Wait')
  const after = run.send('And then', AFTER)
  await until(() => chat.getSnapshot().queued.length === 2)
  told.open()
  expect(await wait.outcome).toMatchObject({ status: 'returned' })
  const delivered = await after.outcome
  if (delivered.status === 'delivered') await delivered.run?.result
  await until(() => chat.getSnapshot().status === 'idle' && sent.length === 2)
  expect(chat.getSnapshot().unsent).toMatchObject({ parts: [{ text: 'Wait' }] })
  await chat.send('Two').result
  await until(() => chat.getSnapshot().unsent === undefined)
})
