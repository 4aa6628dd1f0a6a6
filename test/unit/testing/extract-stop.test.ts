import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import type { Agent } from '../../../src/client/api/agent.ts'
import { createAgent } from '../../../src/client/api/create-agent.ts'
import type { WorkerLike } from '../../../src/client/worker-link/spawn-worker.ts'
import { defineProvider } from '../../../src/providers/registry.ts'
import { createTestAgent, inProcessWorker } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'

/** A server that never answers, and sees when a request is given up. */
async function silentServer(): Promise<{
  readonly baseURL: string
  readonly open: ServerResponse[]
  readonly closed: ServerResponse[]
}> {
  const open: ServerResponse[] = []
  const closed: ServerResponse[] = []
  const server = createServer((_, response) => {
    open.push(response)
    response.on('close', () => closed.push(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, open, closed }
}

const schema = { type: 'object' } as const

describe('a stopped extraction', () => {
  test.each([
    ['by its signal', 'aborted', (_: Agent, own: AbortController) => own.abort('enough')],
    ['by agent.abort()', 'aborted', (agent: Agent) => agent.abort('enough')],
    ['by dispose()', 'disposed', (agent: Agent) => void agent.dispose()],
  ] as const)(
    'when stopped %s, rejects and ends its request on the server',
    async (_, code, stop) => {
      const { baseURL, open, closed } = await silentServer()
      const agent = createTestAgent({
        model: { provider: 'openai-compatible', model: 'm', baseURL, toolMode: 'native' },
      })
      onTestFinished(() => agent.dispose())
      const own = new AbortController()
      const onUsage = vi.fn()
      const asked = agent.extract({ schema, input: 'x', signal: own.signal, onUsage })
      const rejected = expect(asked).rejects.toMatchObject({ code })
      await until(() => open.length)
      stop(agent, own)
      await rejected
      await until(() => closed.length)
      expect(open.length).toBe(1)
      await until(() => onUsage.mock.calls.length)
    },
  )

  test('sends no request and starts no worker when stopped before it began', async () => {
    const worker = vi.fn(inProcessWorker())
    const model = { provider: 'scripted', model: 's', script: { steps: [{ text: '{}' }] } }
    const agent = createAgent({ model, worker })
    onTestFinished(() => agent.dispose())
    const signal = AbortSignal.abort('too late')
    await expect(agent.extract({ schema, input: 'x', signal })).rejects.toMatchObject({
      code: 'aborted',
    })
    const asked = agent.extract({ schema, input: 'x' })
    agent.abort()
    await expect(asked).rejects.toMatchObject({ code: 'aborted' })
    expect(worker).not.toHaveBeenCalled()
  })

  test.each(['a hook of the page', 'a check of its schema'])(
    'rejects while %s never settles',
    async (what) => {
      const never = vi.fn(() => new Promise<never>(() => {}))
      const agent = createTestAgent({
        script: { steps: [{ text: '{}' }] },
        ...(what.startsWith('a hook') && { context: never }),
      })
      onTestFinished(() => agent.dispose())
      const own = new AbortController()
      const asked = agent.extract({
        schema: what.startsWith('a hook') ? schema : z.object({}).refine(never),
        input: 'x',
        signal: own.signal,
      })
      await until(() => never.mock.calls.length)
      own.abort()
      await expect(asked).rejects.toMatchObject({ code: 'aborted' })
    },
  )
})

test('when its worker dies, an extraction rejects with worker-lost and can be retried', async () => {
  const { baseURL, open } = await silentServer()
  const spawn = inProcessWorker()
  const workers: WorkerLike[] = []
  const agent = createAgent({
    model: { provider: 'openai-compatible', model: 'm', baseURL },
    heartbeatMs: 20,
    worker: () => {
      const made = spawn()
      workers.push(made)
      return made
    },
  })
  onTestFinished(() => agent.dispose())
  const asked = agent.extract({ schema, input: 'x' })
  const rejected = expect(asked).rejects.toMatchObject({ code: 'worker-lost', retryable: true })
  await until(() => open.length)
  workers[0]!.terminate!()
  await rejected
  expect(open.length).toBe(1)
})

test("an extraction works when some of the agent's tools are unavailable", async () => {
  const tool = { name: 'look', description: 'Looks.', execute: () => 1, available: () => false }
  const agent = createTestAgent({ script: { steps: [{ text: '{"a":1}' }] }, tools: [tool] })
  onTestFinished(() => agent.dispose())
  expect(await agent.extract({ schema, input: 'x' })).toEqual({ a: 1 })
})

describe('the usage of an extraction', () => {
  const counting = (...texts: string[]): Agent => {
    const said = texts.values()
    const counter = defineProvider({
      id: 'counter',
      async *stream() {
        yield [{ type: 'text-delta', delta: said.next().value ?? '' }]
        yield [{ type: 'usage', usage: { inputTokens: 10, outputTokens: 2 } }]
        yield [{ type: 'finish', finishReason: 'stop' }]
      },
    })
    const agent = createTestAgent({
      model: { provider: 'counter', model: 'm' },
      providers: [counter],
    })
    onTestFinished(() => agent.dispose())
    return agent
  }

  test('is reported once, corrections included', async () => {
    const onUsage = vi.fn()
    const even = z.object({ n: z.number().refine((n) => n % 2 === 0) })
    await counting('no', '{"n":1}', '{"n":2}').extract({ schema: even, input: 'x', onUsage })
    expect(onUsage.mock.calls).toEqual([[{ modelCalls: 3, inputTokens: 30, outputTokens: 6 }]])
  })

  test('is reported even when it fails', async () => {
    const onUsage = vi.fn()
    const asked = counting('no').extract({ schema, input: 'x', retries: 0, onUsage })
    await expect(asked).rejects.toMatchObject({ code: 'invalid-output' })
    expect(onUsage.mock.calls).toEqual([[{ modelCalls: 1, inputTokens: 10, outputTokens: 2 }]])
  })
})
