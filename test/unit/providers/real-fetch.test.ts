import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { collect, type CollectedTurn } from '../../../src/providers/collect.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/create-provider.ts'
import { askWeather, sse } from './support/replay.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections()
})

async function serve(listener: RequestListener): Promise<ProviderConfig> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    provider: 'vllm',
    model: 'm',
    baseURL: `http://127.0.0.1:${port}/v1`,
    apiKey: 'sk-secret',
  }
}

async function ask(listener: RequestListener, signal?: AbortSignal): Promise<CollectedTurn> {
  const provider = createProvider(await serve(listener))
  return collect(provider.stream(askWeather, signal ? { signal } : {}))
}

const hello = sse({ choices: [{ delta: { content: 'Hi' } }] })

test('a reply is read over a real connection', async () => {
  const turn = await ask((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(hello)
    response.end('data: [DONE]\n\n')
  })
  expect(turn).toMatchObject({ text: 'Hi', finishReason: 'stop' })
})

test('a redirect is refused, so the key goes nowhere else (T7)', async () => {
  const keys: (string | undefined)[] = []
  const elsewhere = await serve((request, response) => {
    keys.push(request.headers.authorization)
    response.end('data: [DONE]\n\n')
  })
  const turn = await ask((_, response) => {
    response.writeHead(307, { location: `${elsewhere.baseURL}/chat/completions` })
    response.end()
  })
  expect(turn.error).toMatchObject({ code: 'network' })
  expect(turn.error?.message).toContain('redirect')
  expect(keys).toEqual([])
})

test('a refused connection is a network error', async () => {
  const provider = createProvider({
    provider: 'ollama',
    model: 'm',
    baseURL: 'http://127.0.0.1:9/v1',
  })
  const turn = await collect(provider.stream(askWeather))
  expect(turn.error).toMatchObject({ code: 'network', retryable: true })
})

test('a connection reset in the middle is an incomplete stream', async () => {
  const turn = await ask((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(hello, () => setTimeout(() => response.socket?.resetAndDestroy(), 20))
  })
  expect(turn).toMatchObject({ text: 'Hi', error: { code: 'stream-incomplete', retryable: true } })
})

test('an abort closes the connection', async () => {
  const controller = new AbortController()
  let onClose = (): void => {}
  const closed = new Promise<void>((resolve) => {
    onClose = resolve
  })
  const turn = await ask((_, response) => {
    response.on('close', onClose)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(hello, () => setTimeout(() => controller.abort(), 20))
  }, controller.signal)
  expect(turn).toMatchObject({ text: 'Hi', error: { code: 'aborted' } })
  await closed
})
