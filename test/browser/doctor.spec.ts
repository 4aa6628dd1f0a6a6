import { MORE } from './support/more.ts'
import { createServer, type Server } from 'node:http'
import type { Page } from '@playwright/test'
import type * as providers from '../../src/providers/index.ts'
import type { ModelConfigData } from '../../src/protocol/model.ts'
import { listen } from './support/listen.ts'
import type { Site } from './support/site.ts'
import { expect, test } from './support/test.ts'

type Report = Awaited<ReturnType<typeof providers.diagnose>>

interface Model {
  readonly baseURL: string
  readonly origin: string
}

interface ModelOptions {
  /** Which paths send CORS headers. */
  readonly allows: (path: string) => boolean
  readonly headers?: string
  /** Where the Chat Completions are. */
  readonly base?: string
}

const servers: { close(): Promise<void> }[] = []

test.afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

const said = { content: 'OK' }
const call = { name: 'report_number', arguments: '{"value":7}' }
const called = {
  delta: { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] },
  finish_reason: 'tool_calls',
}

/** A chat server that knows one model. */
async function serveModel({ allows, headers = '*', base = '/v1' }: ModelOptions): Promise<Model> {
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (allows(path)) {
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('access-control-allow-headers', headers)
    }
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => (text += piece))
    request.on('end', () => {
      const send = (status: number, body: unknown): void =>
        void response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(body))
      if (path === `${base}/models`) return send(200, { object: 'list', data: [{ id: 'tiny' }] })
      if (path === '/moved/chat/completions') {
        return void response.writeHead(307, { location: `${base}/chat/completions` }).end()
      }
      if (path !== `${base}/chat/completions`) return send(404, { error: 'not found' })
      const { messages, tools } = JSON.parse(text) as { messages?: unknown; tools?: unknown }
      if (!Array.isArray(messages)) return send(400, { error: { message: 'messages?' } })
      const delta = { choices: [tools ? called : { delta: said, finish_reason: 'stop' }] }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n`)
    })
  })
  const origin = await start(server)
  return { origin, baseURL: `${origin}/v1` }
}

async function start(server: Server): Promise<string> {
  const listening = await listen(server)
  servers.push(listening)
  return listening.url
}

async function diagnose(
  page: Page,
  config: Pick<ModelConfigData, 'baseURL'> & { provider?: string },
): Promise<Report> {
  return page.evaluate(
    async (given) => {
      const url = '/dist/providers.js'
      const { diagnose } = (await import(url)) as typeof providers
      return diagnose({ model: 'tiny', ...given })
    },
    { provider: 'openai-compatible', ...config },
  )
}

function failed(report: Report): string[] {
  return report.checks.filter((check) => check.status === 'failed').map((check) => check.name)
}

function wordsOf(report: Report, name: string): string {
  const check = report.checks.find((entry) => entry.name === name)
  return `${check?.message} ${check?.fix}`
}

const everywhere = (): boolean => true

test(
  'a good endpoint passes, from the page and from a worker',
  MORE,
  async ({ openPage, site }) => {
    const { baseURL } = await serveModel({ allows: everywhere })
    const page = await openPage()
    const report = await diagnose(page, { baseURL })
    expect(report).toMatchObject({ ok: true, models: ['tiny'] })
    expect(wordsOf(report, 'cors')).toContain(site.url)
    expect(wordsOf(report, 'tools')).toContain('called a tool')

    site.add('/doctor-worker.js', {
      body: `
      import { diagnose } from '/dist/providers.js'
      onmessage = async ({ data }) => postMessage(await diagnose(data))
    `,
    })
    const inWorker = await page.evaluate((address) => {
      const worker = new Worker('/doctor-worker.js', { type: 'module' })
      return new Promise<unknown>((resolve) => {
        worker.addEventListener('message', ({ data }) => resolve(data))
        worker.postMessage({ provider: 'vllm', model: 'tiny', baseURL: address })
      })
    }, baseURL)
    expect(inWorker).toEqual(report)
  },
)

test('a closed port is reported as unreachable', MORE, async ({ openPage }) => {
  const closing = await listen(createServer())
  await closing.close()
  const page = await openPage()
  const report = await diagnose(page, { baseURL: `${closing.url}/v1` })
  expect(failed(report)).toEqual(['server'])
})

test('a server without CORS is not reported as down', MORE, async ({ openPage, site }) => {
  const { baseURL } = await serveModel({ allows: () => false })
  const page = await openPage()
  const report = await diagnose(page, { baseURL })
  expect(failed(report)).toEqual(['cors'])
  expect(wordsOf(report, 'cors')).toContain(`does not allow the origin ${site.url}`)
  const ollama = await diagnose(page, { provider: 'ollama', baseURL })
  expect(wordsOf(ollama, 'cors')).toContain(`OLLAMA_ORIGINS=${site.url}`)
})

test(
  'a server that allows the origin but not the headers is reported',
  MORE,
  async ({ openPage }) => {
    const { baseURL } = await serveModel({ allows: everywhere, headers: 'x-other' })
    const page = await openPage()
    const report = await diagnose(page, { baseURL })
    expect(failed(report)).toEqual(['cors'])
    expect(wordsOf(report, 'cors')).toContain('headers content-type')
  },
)

test(
  'a wrong path is found, with and without CORS headers on its 404',
  MORE,
  async ({ openPage }) => {
    const page = await openPage()
    for (const allows of [everywhere, (path: string) => path.startsWith('/v1/')]) {
      const { origin, baseURL } = await serveModel({ allows })
      const report = await diagnose(page, { baseURL: `${origin}/api` })
      expect(failed(report)).toEqual(['path'])
      expect(wordsOf(report, 'path')).toContain(`baseURL: '${baseURL}'`)
    }
  },
)

test('a redirect is reported', MORE, async ({ openPage }) => {
  const { origin } = await serveModel({ allows: everywhere })
  const page = await openPage()
  const report = await diagnose(page, { baseURL: `${origin}/moved` })
  expect(failed(report)).toEqual(['path'])
  expect(wordsOf(report, 'path')).toMatch(/redirects/)
})

test('a page policy that forbids the request is named', MORE, async ({ openPage }) => {
  const { origin, baseURL } = await serveModel({ allows: everywhere })
  const headers = { 'content-security-policy': "connect-src 'self'" }
  const page = await openPage({ headers })
  const report = await diagnose(page, { baseURL })
  expect(failed(report)).toEqual(['content-security-policy'])
  const words = wordsOf(report, 'content-security-policy')
  expect(words).toContain(`The Content-Security-Policy of the page refuses requests to ${origin}`)
  expect(words).toContain(`connect-src 'self' ${origin}`)
})

/** A page on a public https address, its files served from here. */
async function openShop(page: Page, site: Site): Promise<void> {
  await page.route('https://shop.example/**', async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: '<p>Shop' })
    return route.fulfill({ response: await route.fetch({ url: site.url + pathname }) })
  })
  await page.goto('https://shop.example/')
}

test('mixed content is reported', async ({ page, site }) => {
  await openShop(page, site)
  const report = await diagnose(page, { baseURL: 'http://models.example/v1' })
  expect(failed(report)).toEqual(['mixed-content'])
})

// The headless shell has no permissions to ask for.
test(
  'a public page is checked without and with permission for the local network',
  MORE,
  async ({ page, site }) => {
    const { baseURL } = await serveModel({ allows: everywhere })
    await openShop(page, site)
    // Headless, the browser answers its own question with no.
    const denied = await diagnose(page, { baseURL })
    expect(failed(denied)).toEqual(['local-network'])
    await page.context().grantPermissions(['local-network-access'])
    const granted = await diagnose(page, { baseURL })
    expect(failed(granted)).toEqual([])
    expect(wordsOf(granted, 'local-network')).toMatch(/was allowed/)
  },
)

test('discovery works on a machine with no servers running', MORE, async ({ openPage }) => {
  const page = await openPage()
  const found = await page.evaluate(async () => {
    const url = '/dist/providers.js'
    const { discover } = (await import(url)) as typeof providers
    return discover({ timeoutMs: 1_000 })
  })
  expect(Array.isArray(found)).toBe(true)
})
