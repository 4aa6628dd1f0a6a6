import { expose, wrap } from 'comlink'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { ModelRequests } from '../../../src/client/page-life/page-api.ts'
import type { PageApi } from '../../../src/protocol/page-calls.ts'
import { modelFetch } from '../../../src/worker/model/page-fetch.ts'

const cleanUps: (() => void)[] = []

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

/** A worker's fetch whose requests are made by a page at the other end of a Comlink port. */
function connect(): { readonly viaPage: typeof fetch; readonly page: ModelRequests } {
  const { port1, port2 } = new MessageChannel()
  const page = new ModelRequests()
  expose({ fetchModel: (request: never) => page.fetchModel(request) }, port1)
  const api = wrap<PageApi>(port2) as unknown as PageApi
  cleanUps.push(() => {
    port1.close()
    port2.close()
  })
  const viaPage = modelFetch(api, { provider: 'openai', model: 'm', transport: 'page' })
  if (!viaPage) throw new Error('the page was to fetch')
  return { viaPage, page }
}

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener)
  cleanUps.push(() => server.closeAllConnections())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1000) {
    yield bytes.subarray(at, at + 1000)
    if (at % 20_000 === 0) await sleep(1)
  }
}

test('a worker fetches by itself unless it is configured otherwise', () => {
  const page = { fetchModel: () => Promise.reject(new Error('not asked')) }
  expect(modelFetch(page, { provider: 'openai', model: 'm' })).toBeUndefined()
})

test('status, headers and bytes are passed on', async () => {
  const bytes = Buffer.from('x'.repeat(200_000))
  const url = await serve((request, response) => {
    request.on('data', (sent) => {
      response.writeHead(418, { 'x-echo': `${String(request.headers['x-key'])} ${String(sent)}` })
      Readable.from(pieces(bytes)).pipe(response)
    })
  })
  const { viaPage } = connect()
  const response = await viaPage(url, { headers: { 'x-key': 'k' }, body: '{"a":1}' })
  expect(response.status).toBe(418)
  expect(response.headers.get('x-echo')).toBe('k {"a":1}')
  expect(await response.text()).toBe(String(bytes))
})

test('an answer without a body is passed on', async () => {
  const url = await serve((_, response) => response.writeHead(204).end())
  const response = await connect().viaPage(url, { body: '{}' })
  expect(response.status).toBe(204)
  expect(await response.text()).toBe('')
})

test("without an answer, the request rejects with the page's error", async () => {
  await expect(connect().viaPage('http://127.0.0.1:9/', { body: '{}' })).rejects.toThrow(/failed/)
})

test('a broken connection breaks the body', async () => {
  const url = await serve((_, response) => {
    response.write('half', () => setTimeout(() => response.socket?.resetAndDestroy(), 20))
  })
  const reader = (await connect().viaPage(url, { body: '{}' })).body?.getReader()
  expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe('half')
  await expect(reader?.read()).rejects.toThrow(TypeError)
})

test.each(['before the answer', 'in its body'])(
  'an abort closes the connection, %s',
  async (at) => {
    let onClose = (): void => {}
    const closed = new Promise<void>((resolve) => {
      onClose = resolve
    })
    const url = await serve((_, response) => {
      response.on('close', onClose)
      if (at === 'in its body') response.write('half')
      else setTimeout(() => controller.abort(), 20)
    })
    const controller = new AbortController()
    const answer = connect().viaPage(url, { body: '{}', signal: controller.signal })
    if (at === 'in its body') {
      const reader = (await answer).body?.getReader()
      await reader?.read()
      await reader?.cancel()
    } else await expect(answer).rejects.toThrow(/abort/)
    await closed
  },
)

test('the page stops reading with the worker, and stops everything without it', async () => {
  let sent = 0
  let onClose = (): void => {}
  const closed = new Promise<void>((resolve) => {
    onClose = resolve
  })
  const url = await serve((_, response) => {
    const piece = Buffer.alloc(64 * 1024)
    const timer = setInterval(() => {
      if (response.writableNeedDrain) return
      response.write(piece)
      sent += piece.length
    })
    response.on('close', () => {
      clearInterval(timer)
      onClose()
    })
  })
  const { viaPage, page } = connect()
  const response = await viaPage(url, { body: '{}' })
  let before = -1
  for (let still = 0; still < 5; before = sent) {
    await sleep(50)
    still = sent === before ? still + 1 : 0
  }
  expect(sent).toBeLessThan(30_000_000)
  page.abortAll()
  await closed
  await expect(response.text()).rejects.toThrow(TypeError)
})
