import { MORE } from './support/more.ts'
import { createServer } from 'node:http'
import type { ErrorData } from '../../src/index.ts'
import type * as inline from '../../src/client/inline/inline-worker.ts'
import type * as providers from '../../src/providers/index.ts'
import { expect, test as base } from './support/driven.ts'
import { listen } from './support/listen.ts'
import { callTools, say } from './support/mock-answers.ts'
import type { Site } from './support/site.ts'

// A model's request that a Content-Security-Policy refuses, by real policies of page and worker.

/** Nobody listens there. */
const NOBODY = 'http://127.0.0.1:9'
const WORKER = '/dist/worker.js'

/** WebKit has no event for what a policy refuses to a worker: there it is one of the likely causes. */
const UNTOLD = { code: 'network', message: expect.stringContaining('Content-Security-Policy') }

const test = base.extend<{ origin: string }>({
  origin: async ({ model }, use) => use(new URL(model.baseURL).origin),
})

test.afterEach(({ site }) => site.setHeaders(WORKER, null))

interface Asked {
  readonly baseURL: string
  /** Sender of the request. */
  readonly by: 'worker' | 'inline-worker' | 'page' | 'provider'
}

/** Asks all models at once and returns each outcome. Runs in the page. */
async function ask(models: readonly Asked[]): Promise<(ErrorData | string)[]> {
  const [page, inlined, library]: string[] = [
    '/dist/index.js',
    '/dist/inline.js',
    '/dist/providers.js',
  ]
  const { createAgent } = (await import(String(page))) as typeof window.offstage
  return Promise.all(
    models.map(async ({ baseURL, by }) => {
      const model = {
        provider: 'openai-compatible',
        model: 'mock',
        baseURL,
        retry: { maxRetries: 0 },
      }
      if (by === 'provider') {
        const { collect, createProvider } = (await import(String(library))) as typeof providers
        const parts = [{ type: 'text', text: 'Hello?' }] as const
        const request = { messages: [{ role: 'user', parts }], tools: [] } as const
        const turn = await collect(createProvider(model).stream(request))
        return turn.error ?? turn.text
      }
      const { createInlineWorker } = (await import(String(inlined))) as typeof inline
      const agent = createAgent({
        model: { ...model, transport: by === 'page' ? 'page' : 'worker' },
        storage: 'memory',
        ...(by === 'inline-worker' && { worker: createInlineWorker }),
      })
      const result = await agent.run('Hello?').result
      return result.outcome === 'failed' ? result.error : result.text
    }),
  )
}

/** Opens a blank page with this policy. */
async function open(site: Site, page: { goto(url: string): Promise<void> }, policy?: string) {
  const headers = policy === undefined ? {} : { 'content-security-policy': policy }
  const path = `/policy-${encodeURIComponent(policy ?? 'none').length}.html`
  site.add(path, { body: '<!doctype html><title>Test</title>', headers })
  await page.goto(site.url + path)
}

test("the policy of the worker's file refuses a request that the page allows; report-only is ignored", async ({
  driver,
  driven,
  site,
  model,
  origin,
}) => {
  site.setHeaders(WORKER, {
    'content-security-policy': `connect-src 'self' ${NOBODY}`,
    'content-security-policy-report-only': "connect-src 'none'",
  })
  model.enqueue(say('Hello!'))
  await open(site, driven)
  const [refused, offline, answered] = await driven.evaluate(ask, [
    { baseURL: model.baseURL, by: 'worker' },
    { baseURL: `${NOBODY}/v1`, by: 'worker' },
    { baseURL: model.baseURL, by: 'page' },
  ])
  const told = {
    code: 'blocked-by-csp',
    message: expect.stringContaining(`connect-src 'self' ${NOBODY} ${origin}`),
    retryable: false,
    details: {
      directive: 'connect-src',
      blockedURI: `${model.baseURL}/chat/completions`,
      policy: `connect-src 'self' ${NOBODY}`,
      scope: 'worker',
    },
  }
  expect(refused).toMatchObject(driver === 'webkit' ? UNTOLD : told)
  expect(offline).toMatchObject({ code: 'network', retryable: true })
  expect(answered).toBe('Hello!')
  expect(model.requests).toHaveLength(1)
})

test("the page's policy refuses requests of an inlined worker, the page and a provider", async ({
  driver,
  driven,
  site,
  model,
  origin,
}) => {
  const policy = `default-src 'self' ${NOBODY}; worker-src 'self' blob:`
  await open(site, driven, policy)
  model.enqueue(say('Hello!'))
  const { baseURL } = model
  const senders = ['inline-worker', 'page', 'provider'] as const
  const found = await driven.evaluate(ask, [
    ...senders.map((by) => ({ baseURL, by })),
    ...senders.map((by) => ({ baseURL: `${NOBODY}/v1`, by })),
    { baseURL, by: 'worker' },
  ])
  const told = (scope: string): object => ({
    code: 'blocked-by-csp',
    message: expect.stringContaining(`connect-src 'self' ${NOBODY} ${origin}`),
    details: { directive: 'connect-src', policy: `default-src 'self' ${NOBODY}`, scope },
  })
  const inlined = driver === 'webkit' ? UNTOLD : told('inline-worker')
  expect(found.slice(0, 3)).toMatchObject([inlined, told('page'), told('page')])
  expect(found.slice(3, 6)).toMatchObject(senders.map(() => ({ code: 'network' })))
  // A worker from a file has a policy of its own, or none.
  expect(found[6]).toBe('Hello!')
})

test(
  'a redirect to a refused address is reported as a redirect, and not followed',
  MORE,
  async ({ driven, site, model }) => {
    const { url, close } = await listen(
      createServer((request, response) => {
        response.setHeader('access-control-allow-origin', '*')
        response.setHeader('access-control-allow-headers', '*')
        if (request.method === 'OPTIONS') return void response.end()
        response.writeHead(307, { location: `${model.baseURL}/chat/completions` }).end()
      }),
    )
    site.setHeaders(WORKER, { 'content-security-policy': `connect-src ${url}` })
    await open(site, driven, `connect-src 'self' ${url}`)
    const asked = (['worker', 'page'] as const).map((by) => ({ baseURL: `${url}/v1`, by }))
    const found = await driven.evaluate(ask, asked)
    await close()
    expect(found).toMatchObject(
      asked.map(() => ({ code: 'network', message: expect.stringContaining('redirect') })),
    )
  },
)

/** Runs in the page: what its tool is called with, and how a request that the worker may not send ends. */
async function add(models: readonly string[]): Promise<{ inputs: unknown[]; outcomes: string[] }> {
  const { createAgent } = (await import(String('/dist/index.js'))) as typeof window.offstage
  const inputs: unknown[] = []
  const outcomes: string[] = []
  for (const baseURL of models) {
    const agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL, retry: { maxRetries: 0 } },
      storage: 'memory',
      tools: [
        {
          name: 'add',
          description: 'Adds.',
          inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
          execute: (input) => inputs.push(input),
        },
      ],
    })
    const result = await agent.run('Add.').result
    outcomes.push(result.outcome === 'failed' ? result.error.code : result.outcome)
  }
  return { inputs, outcomes }
}

test(
  'forbidding eval changes no call validation, and causes no violation',
  MORE,
  async ({ driver, driven, site, model, origin }) => {
    test.skip(driver === 'webkit', 'It reports nothing of workers.')
    const reports: string[] = []
    const { url, close } = await listen(
      createServer((request, response) => {
        request.setEncoding('utf8').on('data', (piece: string) => reports.push(piece))
        request.on('end', () => response.writeHead(204).end())
      }),
    )
    const policy = `script-src 'self'; connect-src 'self' ${origin}; report-uri ${url}/report`
    site.setHeaders(WORKER, { 'content-security-policy': policy })
    await open(site, driven, "script-src 'self'")
    model.enqueue(callTools([{ name: 'add', input: { a: [1] } }]))
    model.enqueue(callTools([{ name: 'add', input: { a: 1 } }]))
    model.enqueue(say('Done.'))
    const { inputs, outcomes } = await driven.evaluate(add, [model.baseURL, `${NOBODY}/v1`])
    expect(inputs).toEqual([{ a: 1 }])
    expect(outcomes).toEqual(['completed', 'blocked-by-csp'])
    // The last thing that was refused, and the only one.
    await expect.poll(() => reports.join('')).toContain(NOBODY)
    expect(reports.join('')).not.toContain('eval')
    expect(JSON.stringify(model.requests[1]?.body)).toContain("'a' must be number, got [1]")
    await close()
  },
)
