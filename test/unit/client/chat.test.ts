import { describe, expect, onTestFinished, test } from 'vitest'
import { OffstageError } from '../../../src/index.ts'
import type { Script } from '../../../src/protocol/model.ts'
import {
  createTestAgent,
  createTestStorage,
  type TestAgentOptions,
  type TestStorage,
} from '../../../src/testing/index.ts'
import { until } from './fake-worker.ts'

const pay = {
  name: 'pay',
  title: 'Pay the bill',
  description: 'Pays.',
  inputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
  needsApproval: true,
  execute: () => 'paid',
}

const callsPay: Script = {
  steps: [{ toolCalls: [{ toolName: 'pay', input: { sum: 3 } }] }, { text: 'Done.' }],
}

const asks: Script = {
  steps: [
    {
      toolCalls: [
        { toolName: 'ask_user', input: { question: 'Which one?', options: ['red', 'blue'] } },
      ],
    },
    { text: 'That one, then.' },
  ],
}

function chat(options: Partial<TestAgentOptions> = {}) {
  const agent = createTestAgent({ script: callsPay, tools: [pay], ...options })
  onTestFinished(() => agent.dispose())
  const conversation = agent.conversation('c1')
  conversation.subscribe(() => {})
  return { agent, conversation, shown: conversation.getSnapshot }
}

const message = (text: string) => ({ parts: [{ type: 'text', text }] })

describe('a call that waits for a person', () => {
  test('has its conversation and tool', async () => {
    const { conversation, shown } = chat()
    conversation.send('Pay')
    await until(() => shown().pending.length)
    expect(shown().pending).toMatchObject([{ kind: 'approval', title: 'Pay the bill' }])
    const [call] = shown().messages.flatMap(({ calls = [] }) => calls)
    expect(call).toMatchObject({ conversationId: 'c1', title: 'Pay the bill' })
  })

  test("has its tool's source, when the app did not write the tool", async () => {
    const remote = { source: 'mcp.example', endpoint: 'https://mcp.example/a' }
    const { conversation, shown } = chat({ tools: [{ ...pay, remote }] })
    conversation.send('Pay')
    await until(() => shown().pending.length)
    expect(shown().pending).toMatchObject([{ source: 'mcp.example' }])
    const [call] = shown().messages.flatMap(({ calls = [] }) => calls)
    expect(call).toMatchObject({ source: 'mcp.example' })
    expect(JSON.stringify(shown())).not.toContain('mcp.example/a')
  })

  test("has the agent's question", async () => {
    const { conversation, shown } = chat({ script: asks, controlTools: ['ask_user'] })
    const run = conversation.send('A mug')
    await until(() => shown().pending.length)
    const question = { question: 'Which one?', options: ['red', 'blue'] }
    expect(shown().pending).toMatchObject([{ kind: 'answer', question }])
    expect(await conversation.answer(shown().pending[0]!, 'red')).toBe(true)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
  })
})

describe('a single conversation', () => {
  test('sends and approves', async () => {
    const { conversation, shown } = chat()
    const run = conversation.send('Pay', { maxSteps: 2 })
    expect(run.conversationId).toBe('c1')
    await until(() => shown().pending.length)
    expect(await conversation.approve(shown().pending[0]!, { input: { sum: 4 } })).toBe(true)
    const { toolCalls } = await run.result
    expect(toolCalls).toMatchObject([{ input: { sum: 4 }, status: 'succeeded' }])
  })

  test('denies', async () => {
    const { conversation, shown } = chat()
    const run = conversation.send('Pay')
    await until(() => shown().pending.length)
    expect(await conversation.deny(shown().pending[0]!.toolCallId, 'Too much')).toBe(true)
    expect((await run.result).toolCalls).toMatchObject([{ status: 'denied' }])
  })

  test('answers no calls of another conversation', async () => {
    const { agent, conversation } = chat()
    const other = agent.run('Pay', { conversationId: 'c2' })
    const { getSnapshot } = agent.conversation('c2')
    await until(() => getSnapshot().pending.length)
    const { toolCallId } = getSnapshot().pending[0]!
    expect(await conversation.approve({ conversationId: 'c2', toolCallId })).toBe(false)
    other.abort()
    await other.result
  })

  test('resumes and supplies outputs', async () => {
    const { conversation } = chat({ maxSteps: 0, tools: [{ ...pay, needsApproval: false }] })
    expect(await conversation.resume()).toBeNull()
    expect(await conversation.continue()).toBeNull()
    const { toolCalls } = await conversation.send('Pay').result
    const next = await conversation.supplyOutput(toolCalls[0]!.toolCallId, 'by hand')
    expect(await next?.result).toMatchObject({ text: 'Done.' })
  })
})

describe('a requested run is shown', () => {
  test('at once, with its message and its final message id', async () => {
    const { conversation, shown } = chat({ script: { steps: [{ text: 'Hello.' }] } })
    await until(() => shown().status === 'idle')
    const { runId } = conversation.send('Hi')
    await Promise.resolve()
    expect(shown()).toMatchObject({ status: 'running', runId, messages: [message('Hi')] })
    const [{ id } = {}] = shown().messages
    await until(() => shown().status === 'idle')
    expect(shown().messages).toMatchObject([{ id }, { role: 'assistant' }])
  })

  test('while the conversation loads, with a later message kept beside it', async () => {
    // The first run waits for a person, so that it is open for as long as this looks.
    const { conversation, shown } = chat()
    const first = conversation.send('Pay')
    const second = conversation.send('And')
    await until(() => shown().unsent)
    expect(shown()).toMatchObject({ runId: first.runId, unsent: message('And') })
    expect(shown().messages[0]).toMatchObject(message('Pay'))
    expect(await second.result).toMatchObject({ error: { code: 'conversation-busy' } })
    await until(() => shown().pending.length)
    expect(await conversation.approve(shown().pending[0]!)).toBe(true)
    expect(await first.result).toMatchObject({ outcome: 'completed' })
  })

  test('without a second message while it is an edit', async () => {
    const { conversation, shown } = chat({ script: { fallback: [{ text: 'Hello.' }] } })
    await conversation.send('Hi').result
    await until(() => shown().status === 'idle')
    const { runId } = conversation.edit(shown().messages[0]!.id, 'Hi there')
    await Promise.resolve()
    expect(shown()).toMatchObject({ status: 'running', runId })
    expect(shown().messages).toHaveLength(2)
    await until(() => shown().status === 'idle')
    expect(shown().messages).toMatchObject([message('Hi there'), { role: 'assistant' }])
  })

  test('until its agent is disposed, and subscribers are notified', async () => {
    const { agent, conversation, shown } = chat({ testStorage: hangingStorage() })
    await until(() => shown().status === 'idle')
    let last = shown()
    conversation.subscribe(() => {
      last = shown()
    })
    conversation.send('Pay')
    await until(() => last.status === 'running')
    void agent.dispose()
    await until(() => last.status === 'idle')
    expect(last.runId).toBeUndefined()
  })

  test('until it is aborted before it began', async () => {
    const { conversation, shown } = chat()
    await until(() => shown().status === 'idle')
    const run = conversation.send('Pay')
    run.abort()
    await run.result
    await until(() => shown().status === 'idle')
    expect(shown().runId).toBeUndefined()
  })
})

test('usage of the newest run is shown during the run and afterwards', async () => {
  const { conversation, shown } = chat()
  expect(shown().spent).toBeUndefined()
  const run = conversation.send('Pay')
  await until(() => shown().pending.length)
  const once = shown().spent
  expect(once?.own).toMatchObject({ modelCalls: 1 })
  expect(once?.total).toEqual(once?.own)
  await conversation.approve(shown().pending[0]!)
  const { usage } = await run.result
  await until(() => shown().status === 'idle')
  expect(shown().spent?.own).toMatchObject({ modelCalls: 2 })
  expect(shown().spent?.own).toEqual(usage)
})

describe('a refused run is shown', () => {
  test('beside the run in its way, until that has ended', async () => {
    const { conversation, shown } = chat()
    conversation.send('Pay')
    await until(() => shown().pending.length)
    await conversation.send('And tip').result
    const error = { code: 'conversation-busy' }
    await until(() => shown().error)
    expect(shown()).toMatchObject({ status: 'waiting', error, unsent: message('And tip') })
    expect(shown().ended).toBeUndefined()
    await conversation.approve(shown().pending[0]!)
    await until(() => shown().status === 'idle')
    expect(shown()).toMatchObject({ ended: { outcome: 'completed' } })
    expect(shown().error).toBeUndefined()
    expect(shown().unsent).toBeUndefined()
  })

  test('with invalid input, before anybody subscribed, until the next run begins', async () => {
    const agent = createTestAgent({ script: { steps: [{ text: 'Hello.' }] } })
    onTestFinished(() => agent.dispose())
    const { runId } = agent.run('  ', { conversationId: 'c1' })
    const { subscribe, getSnapshot, send } = agent.conversation('c1')
    subscribe(() => {})
    await until(() => getSnapshot().status === 'idle')
    const ended = { outcome: 'failed', runId }
    expect(getSnapshot()).toMatchObject({ error: { code: 'invalid-input' }, ended })
    expect(getSnapshot().unsent).toBeUndefined()
    await send('Hi').result
    await until(() => getSnapshot().messages.length === 2)
    expect(getSnapshot().error).toBeUndefined()
  })

  test('when the worker refused it before anybody subscribed', async () => {
    const history = [
      { role: 'user', content: 'Pay' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'pay', arguments: '{}' } },
        ],
      },
    ] as const
    const agent = createTestAgent({ script: callsPay })
    onTestFinished(() => agent.dispose())
    await agent.run('And tip', { conversationId: 'c1', history }).result
    const { subscribe, getSnapshot } = agent.conversation('c1')
    subscribe(() => {})
    await until(() => getSnapshot().status !== 'loading')
    expect(getSnapshot()).toMatchObject({
      status: 'waiting',
      error: { code: 'calls-pending' },
      ended: { outcome: 'failed' },
      unsent: message('And tip'),
    })
  })

  test('when it is aborted before there was room for it', async () => {
    const { agent, conversation, shown } = chat({ testStorage: fullStorage() })
    const run = conversation.send('Pay')
    await until(() => shown().paused)
    expect(shown().messages).toMatchObject([message('Pay')])
    run.abort('enough')
    await run.result
    await until(() => shown().unsent)
    expect(shown()).toMatchObject({
      status: 'idle',
      messages: [],
      ended: { outcome: 'aborted', reason: 'enough' },
      unsent: message('Pay'),
    })
    expect(await agent.conversations.get('c1')).toMatchObject({ messages: [] })
  })
})

describe('a run that is stopped while the storage is slow', () => {
  test('isn’t reported as unsent, as its message is stored after all', async () => {
    const { storage, isAsked, go } = heldStorage('append')
    const { agent, conversation, shown } = chat({ testStorage: storage })
    const unsent: unknown[] = []
    conversation.subscribe(() => unsent.push(shown().unsent))
    await until(() => shown().status === 'idle')
    const run = conversation.send('Pay')
    await isAsked
    run.abort('enough')
    expect(await run.result).toMatchObject({ outcome: 'aborted' })
    await until(() => shown().status === 'idle')
    expect(shown().unsent).toBeUndefined()
    go()
    await until(() => shown().messages.length)
    await until(() => shown().status === 'idle')
    expect(shown()).toMatchObject({ messages: [message('Pay')], ended: { outcome: 'aborted' } })
    expect(unsent.filter(Boolean)).toEqual([])
    expect(await agent.conversations.get('c1')).toMatchObject({ messages: [message('Pay')] })
  })

  test('is reported as unsent once the worker has given it up', async () => {
    const { storage, isAsked, go } = heldStorage('open')
    const { agent, conversation, shown } = chat({ testStorage: storage })
    const run = conversation.send('Pay')
    await isAsked
    run.abort('enough')
    expect(await run.result).toMatchObject({ outcome: 'aborted' })
    expect(shown().unsent).toBeUndefined()
    go()
    await until(() => shown().unsent)
    expect(shown()).toMatchObject({ status: 'idle', messages: [], unsent: message('Pay') })
    expect((await agent.conversations.get('c1'))?.messages ?? []).toEqual([])
  })
})

test('a message whose signal had aborted before is unsent', async () => {
  const { conversation, shown } = chat({})
  await until(() => shown().status === 'idle')
  const run = conversation.send('Hi', { signal: AbortSignal.abort() })
  expect(await run.result).toMatchObject({ outcome: 'aborted' })
  await until(() => shown().unsent)
  expect(shown()).toMatchObject({ messages: [], unsent: message('Hi') })
})

test('a message sent to a run that is starting reaches it', async () => {
  const script: Script = { fallback: [{ text: 'Hello.' }] }
  const { conversation, shown } = chat({ script })
  await until(() => shown().status === 'idle')
  const run = conversation.send('Hi')
  const id = await conversation.steer('And tea', { when: 'after-run' })
  expect(id).not.toBeNull()
  await run.result
  await until(() => shown().messages.length === 4 && shown().status === 'idle')
  expect(shown().messages[2]).toMatchObject({ id, ...message('And tea') })
})

/** Takes no rows. */
function fullStorage(): TestStorage {
  const storage = createTestStorage()
  return {
    async open(name) {
      const store = await storage.open(name)
      const append = () =>
        Promise.reject(new OffstageError('storage-full', 'No room.', { retryable: true }))
      return { ...store, append }
    },
  }
}

/** Holds what is asked of it with one method until `go`. */
function heldStorage(method: 'open' | 'append') {
  const storage = createTestStorage()
  let go = (): void => undefined
  let ask = (): void => undefined
  const held = new Promise<void>((resolve) => (go = resolve))
  const isAsked = new Promise<void>((resolve) => (ask = resolve))
  const hold = async (of: 'open' | 'append'): Promise<void> => {
    if (of !== method) return
    ask()
    await held
  }
  const holding: TestStorage = {
    async open(name) {
      await hold('open')
      const store = await storage.open(name)
      return {
        ...store,
        async append(...rows) {
          await hold('append')
          return store.append(...rows)
        },
      }
    },
  }
  return { storage: holding, isAsked, go: () => go() }
}

/** Never done with what is appended. */
function hangingStorage(): TestStorage {
  const storage = createTestStorage()
  return {
    async open(name) {
      return { ...(await storage.open(name)), append: () => new Promise(() => undefined) }
    },
  }
}

describe('a list of conversations', () => {
  test('shows whether a call waits or was answered', async () => {
    const { agent, conversation } = chat()
    const { subscribe, getSnapshot } = agent.conversations
    subscribe(() => {})
    const openCalls = () => getSnapshot()[0]?.openCalls ?? []
    const run = conversation.send('Pay')
    await until(() => openCalls().length)
    expect(await conversation.approve(openCalls()[0]!)).toBe(true)
    await until(() => !openCalls().length)
    await run.result
  })
})

test('a disposed agent shows no open run, and nothing to answer', async () => {
  const { agent, conversation, shown } = chat()
  conversation.send('Pay')
  await until(() => shown().pending.length)
  const { runId } = shown()
  await agent.dispose()
  expect(shown()).toMatchObject({
    status: 'idle',
    pending: [],
    ownership: 'none',
    ended: { outcome: 'aborted', reason: 'disposed', runId },
  })
  expect(shown().runId).toBeUndefined()
  await expect(conversation.approve('call')).rejects.toMatchObject({ code: 'disposed' })
})

test('a conversation that is loading when its agent is disposed stops loading', async () => {
  const { agent, shown } = chat()
  await agent.prepare()
  await agent.dispose()
  expect(shown().status).toBe('idle')
})
