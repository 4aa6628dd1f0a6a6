import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { createAgent, OffstageError } from '../../../src/index.ts'
import type { AgentOptions } from '../../../src/index.ts'
import { sleep, stage, startedRun, until } from './fake-worker.ts'

const model = { provider: 'ollama', model: 'qwen3:4b' }
const endpoint = { provider: 'ollama' }

describe('createAgent', () => {
  test('touches no browser global and starts nothing', async () => {
    const touched: string[] = []
    const globals =
      'window document navigator location localStorage indexedDB Worker SharedWorker BroadcastChannel requestAnimationFrame customElements fetch'
    for (const name of globals.split(' '))
      vi.stubGlobal(
        name,
        new Proxy(function () {}, {
          get: (_target, key) => void touched.push(`${name}.${String(key)}`),
          construct: () => (touched.push(`new ${name}`), {}),
        }),
      )
    vi.resetModules()
    const fresh = await import('../../../src/index.ts')
    const agent = fresh.createAgent({
      model,
      tools: [{ name: 'a', description: 'a', execute: () => 1 }],
    })
    agent.on('status', () => {})
    agent.conversation('c1').getSnapshot()
    agent.configure({ instructions: 'Be brief.' })
    await sleep(10)
    await agent.dispose()
    vi.unstubAllGlobals()
    expect(touched).toEqual([])
  })

  test.each([
    [undefined, 'invalid-config', 'provider'],
    [{}, 'invalid-config', 'provider'],
    [{ model: { provider: 'ollama' } }, 'invalid-config', 'model'],
    [{ model: { model: 'x' } }, 'invalid-config', 'provider'],
    [{ model: { provider: 'olama', model: 'x' } }, 'unknown-provider', 'ollama'],
    [{ model: { provider: 'claude', model: 'x' } }, 'unknown-provider', 'mean anthropic?'],
    [{ model: { provider: 'custom', model: 'x' } }, 'unknown-provider', 'mean openai-compatible?'],
    [
      { model: { provider: 'open_source', model: 'x' } },
      'unknown-provider',
      'mean openai-compatible?',
    ],
    [
      { model: { provider: 'open-source', model: 'x' } },
      'unknown-provider',
      'mean openai-compatible?',
    ],
    [{ model: { provider: 'nobody', model: 'x' } }, 'unknown-provider', 'It has openai, '],
    [{ model, maxSteps: 1.5 }, 'invalid-config', 'maxSteps'],
    [{ model, maxSteps: -2 }, 'invalid-config', 'maxSteps'],
    [{ model, retries: -1 }, 'invalid-config', 'retries'],
    [{ model, storage: {} }, 'invalid-config', 'storage'],
    [{ model, storage: 'disk' }, 'invalid-config', 'storage'],
    [{ model, worker: '/worker.js' }, 'invalid-config', 'worker'],
    [{ model, context: 'text' }, 'invalid-config', 'context'],
    [{ model, toolApproval: 'sometimes' }, 'invalid-config', 'toolApproval'],
    [{ model, tools: {} }, 'invalid-config', 'tools'],
  ])('rejects %o', (options, code, word) => {
    try {
      createAgent(options as unknown as AgentOptions)
      expect.unreachable()
    } catch (error) {
      expect(OffstageError.is(error) && error.code).toBe(code)
      expect((error as Error).message).toContain(word)
    }
  })

  test('leaves provider ids to a custom worker', () => {
    const own = { provider: 'mine', model: 'x' }
    expect(() =>
      createAgent({ model: own, worker: () => new MessageChannel().port1 }),
    ).not.toThrow()
    expect(() => createAgent({ model: own, workerUrl: '/worker.js' })).not.toThrow()
    const agent = createAgent({ model })
    expect(() => agent.configure({ model: own })).toThrow('provider')
  })
})

describe('a step', () => {
  const contextOf = async (options: Partial<AgentOptions>) => {
    const set = stage(options)
    const { worker, command } = await startedRun(set, 'x')
    const read = () => worker.page.stepContext(command)
    return { set, agent: set.agent, read, worker, agentId: command.agentId }
  }

  test('gets the current configuration, without key and headers', async () => {
    const canary = 'sk-canary'
    const { set, read, worker, agentId } = await contextOf({
      model: {
        provider: 'openai',
        model: 'a',
        apiKey: canary,
        headers: { 'x-canary': canary },
        temperature: 0,
      },
      instructions: 'Today is {{date}}, {{ who }}. \\{{date}}',
      values: { date: '2026-11-21', who: 'Ann' },
      raw: true,
    })
    const first = await read()
    expect(JSON.stringify(first)).not.toContain('canary')
    expect(first).toEqual({
      hasEngine: false,
      configId: 1,
      model: { provider: 'openai', model: 'a', temperature: 0 },
      instructions: 'Today is 2026-11-21, Ann. {{date}}',
      tools: [],
      hasBeforeToolCall: false,
      raw: true,
    })
    expect(
      await worker.page.credentials({ agentId, configId: 1, endpoint, previousRejected: false }),
    ).toEqual({
      apiKey: canary,
      headers: { 'x-canary': canary },
    })
    set.agent.configure({
      model: { provider: 'anthropic', model: 'b' },
      values: { date: 'tomorrow' },
    })
    expect(await read()).toMatchObject({
      model: { provider: 'anthropic', model: 'b' },
      instructions: expect.stringContaining('tomorrow, Ann'),
    })
    const keyOf = (configId: number) =>
      worker.page.credentials({ agentId, configId, endpoint, previousRejected: false })
    expect(await keyOf(2)).toEqual({})
    expect(await keyOf(1)).toMatchObject({ apiKey: canary })
  })

  test('calls key and header functions each time', async () => {
    const apiKey = vi.fn(async ({ previousRejected }) => (previousRejected ? 'new' : 'old'))
    const { worker, agentId, read } = await contextOf({
      model: { ...model, apiKey, headers: () => ({ a: 'b' }) },
    })
    await read()
    expect(
      await worker.page.credentials({ agentId, configId: 1, endpoint, previousRejected: false }),
    ).toEqual({
      apiKey: 'old',
      headers: { a: 'b' },
    })
    expect(
      await worker.page.credentials({ agentId, configId: 1, endpoint, previousRejected: true }),
    ).toMatchObject({
      apiKey: 'new',
    })
    expect(apiKey.mock.calls[0]![0].signal).toBeInstanceOf(AbortSignal)
  })

  test('with a failing key function rejects without revealing the key', async () => {
    const { worker, agentId, read } = await contextOf({
      model: {
        ...model,
        apiKey() {
          throw new Error('bad key sk-canary')
        },
      },
    })
    await read()
    const error = await worker.page
      .credentials({ agentId, configId: 1, endpoint, previousRejected: false })
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'authentication' })
    expect(JSON.stringify(error)).not.toContain('canary')
  })

  test('resolves a relative baseURL against the page', async () => {
    const { read } = await contextOf({ model: { ...model, baseURL: '/api/v1' } })
    await expect(read()).rejects.toMatchObject({ code: 'invalid-config' })
    vi.stubGlobal('document', { baseURI: 'https://shop.test/app/' })
    expect((await read()).model.baseURL).toBe('https://shop.test/api/v1')
    vi.unstubAllGlobals()
  })

  test.each([
    ['a string', 'Cart: 2 mugs', 'Cart: 2 mugs'],
    ['data', { cart: ['mug'], n: 1n }, '{"cart":["mug"],"n":"1"}'],
    ['a promise', Promise.resolve('later'), 'later'],
    ['nothing', undefined, undefined],
  ])('reads live context: %s', async (_name, value, expected) => {
    const { read } = await contextOf({ context: () => value })
    expect((await read()).context).toBe(expected)
  })

  test('adds context parts after the configured one, each until it is removed', async () => {
    const { agent, read } = await contextOf({ context: () => 'first' })
    const second = (): unknown => ({ second: true })
    const undo = agent.addContext(second)
    agent.addContext(second)
    agent.addContext(() => undefined)
    agent.addContext(async () => 'third')
    expect((await read()).context).toBe('first\n\n{"second":true}\n\n{"second":true}\n\nthird')
    undo()
    undo()
    expect((await read()).context).toBe('first\n\n{"second":true}\n\nthird')
  })

  test('with a failing context() reports it', async () => {
    const { read } = await contextOf({
      context() {
        throw new Error('no cart')
      },
    })
    await expect(read()).rejects.toMatchObject({
      code: 'invalid-config',
      message: 'context() failed: no cart',
    })
  })
})

describe('answers', () => {
  test('identify the call by id, or with its conversation', async () => {
    const set = stage()
    const { agent } = set
    const call = { conversationId: 'c1', toolCallId: 't1' }
    expect(await agent.approve('t1')).toBe(true)
    await agent.approve(call, { input: { a: 1 } })
    await agent.deny(call, 'no')
    await agent.answer('t1', 'blue')
    await agent.resolveInterrupted(call, 'happened', { ok: true })
    await agent.resolveInterrupted(call, 'run-again')
    const scope = { agentId: expect.any(String), storage: { name: 'offstage' } }
    expect(set.worker.of('answerCall')).toEqual([
      { ...scope, toolCallId: 't1', answer: { type: 'approve' } },
      { ...scope, ...call, answer: { type: 'approve', input: { a: 1 } } },
      { ...scope, ...call, answer: { type: 'deny', reason: 'no' } },
      { ...scope, toolCallId: 't1', answer: { type: 'answer', text: 'blue' } },
      {
        ...scope,
        ...call,
        answer: {
          type: 'resolve',
          verdict: 'happened',
          output: { type: 'json', value: { ok: true } },
        },
      },
      { ...scope, ...call, answer: { type: 'resolve', verdict: 'run-again' } },
    ])
  })

  test('from supplyOutput are the resumed run, or null', async () => {
    let last = false
    const set = stage(
      {},
      {
        supplyOutput: (_worker, { nextRunId }) =>
          last ? { conversationId: 'c1', runId: nextRunId } : null,
      },
    )
    expect(await set.agent.supplyOutput('t1', 'first')).toBeNull()
    last = true
    const run = await set.agent.supplyOutput('t2', { second: true })
    expect(run).toMatchObject({ conversationId: 'c1', runId: expect.any(String) })
    expect(set.worker.of('supplyOutput')).toMatchObject([
      { toolCallId: 't1', output: { type: 'text', value: 'first' } },
      { toolCallId: 't2', output: { type: 'json', value: { second: true } } },
    ])
  })

  test('reject with the worker’s error and its code', async () => {
    const set = stage(
      {},
      {
        clearHistory: () => {
          throw {
            code: 'conversation-busy',
            message: 'A run is open.',
            retryable: true,
            details: { runId: 'r1' },
          }
        },
      },
    )
    const error = await set.agent.conversations
      .clearHistory('c1')
      .catch((thrown: unknown) => thrown)
    expect(OffstageError.is(error)).toBe(true)
    expect(error).toMatchObject({
      code: 'conversation-busy',
      retryable: true,
      details: { runId: 'r1' },
    })
  })

  test('about conversations come from the configured store', async () => {
    const set = stage({ storage: 'memory' })
    await set.agent.conversations.list({ unfinished: true })
    await set.agent.conversations.get('c1')
    await set.agent.conversations.rename('c1', 'Mugs')
    expect(set.worker.commands.slice(1)).toMatchObject([
      { method: 'listConversations', command: { storage: 'memory', unfinished: true } },
      { method: 'getConversation', command: { storage: 'memory', conversationId: 'c1' } },
      { method: 'renameConversation', command: { conversationId: 'c1', title: 'Mugs' } },
    ])
  })
})

describe('on', () => {
  test('reports status, storage and warnings, until undone or aborted', async () => {
    const set = stage()
    const heard: unknown[] = []
    const controller = new AbortController()
    set.agent.on('status', ({ status, openRuns }) => heard.push([status, openRuns]))
    set.agent.on('storage', ({ mode }) => heard.push(mode), { signal: controller.signal })
    const undo = set.agent.on('warning', ({ code }) => heard.push(code))
    const { worker, command } = await startedRun(set, 'x')
    worker.notify({ type: 'storage', storage: 'durable:offstage', mode: 'memory' })
    worker.notify({ type: 'warning', code: 'w', message: 'w' })
    await until(() => heard.length === 3)
    undo()
    controller.abort()
    worker.notify({ type: 'storage', storage: 'durable:offstage', mode: 'memory' })
    worker.notify({ type: 'warning', code: 'w', message: 'w' })
    worker.end(command)
    await until(() => heard.length === 4)
    expect(heard).toEqual([['running', 1], 'memory', 'w', ['idle', 0]])
  })
})

test('the default worker is the literal that bundlers look for', () => {
  const source = readFileSync(
    new URL('../../../src/client/worker-link/spawn-worker.ts', import.meta.url),
    'utf8',
  )
  expect(source.replace('/* @vite-ignore */ ', '')).toContain(
    "new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })",
  )
})

test("any object with its ids identifies a call, even with fields that can't be cloned", async () => {
  const set = stage()
  const call = { toolCallId: 'c', conversationId: 't', toolName: 'x', element: () => 1 }
  expect(await set.agent.deny(call)).toBe(true)
  await set.agent.supplyOutput(call, 1)
  for (const method of ['answerCall', 'supplyOutput'] as const) {
    const [command] = set.worker.of<Record<string, unknown>>(method)
    expect(command).toMatchObject({ toolCallId: 'c', conversationId: 't' })
    expect(Object.keys(command!)).not.toContain('toolName')
  }
})
