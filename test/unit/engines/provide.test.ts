import { expect, onTestFinished, test, vi } from 'vitest'
import { createAgent, defineTool, type Agent, type AgentOptions } from '../../../src/index.ts'
import type { EngineDefinition } from '../../../src/engines/engine-definition.ts'
import { pageEngine } from '../../../src/engines/serve-port.ts'
import { workerEngine } from '../../../src/engines/worker-engine.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { inProcessWorker } from '../../../src/testing/create-test-agent.ts'
import { engineWorker, finish, say, saying, settle, type TestWorker } from './support.ts'

function agentWith(options: Partial<AgentOptions>): Agent {
  const agent = createAgent({
    model: { provider: 'mine', model: 'tiny', retry: { baseDelayMs: 1 } },
    worker: inProcessWorker(),
    ...options,
  })
  onTestFinished(() => agent.dispose())
  return agent
}

const add = defineTool({
  name: 'add',
  description: 'Adds to the cart.',
  inputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
  execute: ({ sku }) => `added ${sku}`,
})

/** Calls `add` natively first, then concludes. */
const calling: EngineDefinition = {
  id: 'mine',
  async *stream(request) {
    if (request.messages.some(({ role }) => role === 'tool')) {
      yield say('It is in.')
      yield finish
      return
    }
    yield [
      { type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: { sku: 'mug' } },
      { type: 'finish', finishReason: 'tool-calls' },
    ]
  },
}

test.each([
  ['on the page', () => pageEngine(calling)],
  ['in a worker', () => workerEngine({ id: 'mine', worker: () => engineWorker(calling) })],
])('an engine %s drives a run, page tools included', async (_name, engine) => {
  const agent = agentWith({ engines: [engine()], tools: [add] })
  const result = await agent.run('A mug, please').result
  expect(result).toMatchObject({
    outcome: 'completed',
    text: 'It is in.',
    toolCalls: [{ toolName: 'add', status: 'succeeded', output: { value: 'added mug' } }],
  })
})

test('an engine without its own tools runs in ACTION mode, whatever the configuration', async () => {
  const requests: ModelRequest[] = []
  const engine = pageEngine(
    {
      id: 'mine',
      async *stream(request) {
        requests.push(request)
        yield say(requests.length > 1 ? 'Done.' : '<ACTION><add><sku>mug</sku></add></ACTION>')
        yield finish
      },
    },
    { toolMode: 'action' },
  )
  const agent = agentWith({
    model: { provider: 'mine', model: 'tiny', toolMode: 'native' },
    engines: [engine],
    tools: [add],
  })
  const result = await agent.run('A mug, please').result
  expect(result).toMatchObject({ text: 'Done.', toolCalls: [{ status: 'succeeded' }] })
  expect(requests.map(({ toolMode }) => toolMode)).toEqual(['action', 'action'])
  expect(requests[0]?.instructions).toContain('<ACTION>')
})

test('prepare loads the model and reports progress; nothing is loaded before', async () => {
  const prepare = vi.fn<NonNullable<EngineDefinition['prepare']>>(
    async ({ contextWindow }, { progress }) => {
      progress({ loaded: 1, total: 4, text: `window ${contextWindow}` })
    },
  )
  const opened = vi.fn(() => engineWorker({ ...saying('Hi'), prepare }))
  const agent = agentWith({
    model: { provider: 'mine', model: 'tiny', contextWindow: 2048 },
    engines: [workerEngine({ id: 'mine', worker: opened })],
  })
  const told: unknown[] = []
  agent.on('engine-progress', (event) => told.push(event))
  await agent.conversations.list()
  expect(opened).not.toHaveBeenCalled()
  await agent.prepare()
  await settle()
  expect(prepare).toHaveBeenCalledOnce()
  expect(told).toEqual([
    expect.objectContaining({
      type: 'engine-progress',
      provider: 'mine',
      model: 'tiny',
      loaded: 1,
      total: 4,
      text: 'window 2048',
    }),
  ])
  expect(await agent.run('hi').result).toMatchObject({ outcome: 'completed', text: 'Hi' })
  expect(opened).toHaveBeenCalledOnce()
})

test('aborting prepare stops the load', async () => {
  let signal: AbortSignal | undefined
  const engine = pageEngine({
    ...saying('Hi'),
    prepare: (_config, context) => {
      signal = context.signal
      return new Promise(() => undefined)
    },
  })
  const agent = agentWith({ engines: [engine] })
  const stop = new AbortController()
  const prepared = agent.prepare({ signal: stop.signal })
  await vi.waitFor(() => expect(signal).toBeDefined())
  stop.abort('changed my mind')
  await expect(prepared).rejects.toMatchObject({ code: 'aborted' })
  await vi.waitFor(() => expect(signal?.aborted).toBe(true))
})

test("prepare rejects with the engine's error", async () => {
  const engine = pageEngine({
    ...saying('Hi'),
    prepare: () => Promise.reject(new Error('Out of disk space.')),
  })
  const prepared = agentWith({ engines: [engine] }).prepare()
  await expect(prepared).rejects.toMatchObject({
    code: 'provider-error',
    message: 'Out of disk space.',
  })
})

test('an engine that dies during a step is replaced, and the step is repeated', async () => {
  const workers: TestWorker[] = []
  const engine = workerEngine({
    id: 'mine',
    worker: () => {
      const isFirst = workers.length === 0
      const worker: TestWorker = engineWorker({
        id: 'mine',
        async *stream() {
          yield say('Hello')
          if (isFirst) {
            setTimeout(() => lose(), 5)
            await new Promise<never>(() => undefined)
          }
          yield say(' again')
          yield finish
        },
      })
      workers.push(worker)
      return worker
    },
  })
  // In this process only a closed line tells of a death.
  const ports: MessagePort[] = []
  const open = engine.open.bind(engine)
  const lose = (): void => ports[0]?.close()
  const provided = {
    ...engine,
    open: async (opening: Parameters<typeof open>[0]) => {
      const line = await open(opening)
      const { port1, port2 } = new MessageChannel()
      ports.push(port1)
      port1.addEventListener('message', ({ data }) => line.port.postMessage(data))
      line.port.addEventListener('message', ({ data }) => port1.postMessage(data))
      port1.start()
      line.port.start()
      return { ...line, port: port2 }
    },
  }
  const agent = agentWith({ engines: [provided] })
  const run = agent.run('hi')
  const types: string[] = []
  for await (const event of run) types.push(event.type)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Hello again' })
  expect(types).toContain('step-reset')
  expect(types).toContain('retry')
  expect(workers.map(({ terminated }) => terminated)).toEqual([true, false])
})

test('an abort ends the run and stops the engine', async () => {
  let stopped = false
  const engine = pageEngine({
    id: 'mine',
    async *stream(_request, _config, { signal }) {
      signal.addEventListener('abort', () => (stopped = true))
      for (;;) {
        yield say('x')
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    },
  })
  const run = agentWith({ engines: [engine] }).run('hi')
  for await (const event of run) if (event.type === 'text-delta') break
  run.abort('enough')
  expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'enough' })
  await vi.waitFor(() => expect(stopped).toBe(true))
})

test('dispose releases the engine', async () => {
  const dispose = vi.fn()
  const agent = agentWith({ engines: [pageEngine({ ...saying('Hi'), dispose })] })
  await agent.run('hi').result
  await agent.dispose()
  expect(dispose).toHaveBeenCalledOnce()
})

test('the error for an engine that is not provided names its entry', async () => {
  expect(() => createAgent({ model: { provider: 'mine', model: 'x' } })).toThrow(/no provider mine/)
  const agent = agentWith({ model: { provider: 'wllama', model: 'x' } })
  expect(await agent.run('hi').result).toMatchObject({
    outcome: 'failed',
    error: { code: 'unknown-provider', message: expect.stringContaining('offstage/wllama') },
  })
})
