import { inSlice } from './support/more.ts'
import type { Page } from '@playwright/test'
import type { Agent } from '../../src/index.ts'
import { dumpStorage } from './support/dump-storage.ts'
import { callTools, say } from './support/mock-answers.ts'
import type { MockResponse } from './support/mock-openai.ts'
import { startSessionProxy } from './support/session-proxy.ts'
import { expect, test } from './support/test.ts'

const KEY = 'sk-canary-5f1d77aa0b'
const TOKEN = 'canary-header-9c21e4'
const CANARIES = new RegExp(`${KEY}|${TOKEN}`)

/** A server that quotes what it was sent, in every place where an error may hold words. */
function echoing(status: number): MockResponse {
  const words = `Rejected: Bearer ${KEY} with ${TOKEN}`
  return {
    status,
    headers: { 'x-ratelimit-limit-requests': TOKEN, 'retry-after-ms': '1' },
    body: { error: { message: words, type: KEY, code: TOKEN, param: words } },
  }
}

const echoingStream: MockResponse = {
  pieces: [
    { data: { choices: [{ index: 0, delta: { content: 'Well. ' } }] } },
    { data: { error: { message: `Bad key ${KEY} and ${TOKEN}`, code: KEY } } },
  ],
}

const echoingPage: MockResponse = {
  headers: { 'content-type': 'text/html' },
  pieces: [{ raw: `<h1>Who is ${KEY}? And ${TOKEN}?</h1>` }],
  end: 'close',
}

interface Told {
  readonly outcomes: readonly string[]
  readonly told: string
}

/** Runs whatever the server answers, and returns all that the page was told. */
function tellAll({ baseURL, transport, functions, key, token }: TellAll): Promise<Told> {
  const { createAgent, defineTool, OffstageError } = window.offstage
  const told: unknown[] = []
  const headers = { 'x-token': token }
  const agent = createAgent({
    model: {
      provider: 'openai-compatible',
      model: 'mock',
      baseURL,
      transport,
      apiKey: functions ? () => key : key,
      headers: functions ? () => headers : headers,
      retry: { maxRetries: 1, baseDelayMs: 1 },
    },
    raw: true,
    tools: [defineTool({ name: 'note', description: 'Writes a note.', execute: () => 'noted' })],
  })
  for (const type of ['status', 'storage', 'warning', 'worker'] as const) {
    agent.on(type as 'warning', (event) => told.push(event))
  }
  const conversationId = 'canary'
  return (async () => {
    const outcomes: string[] = []
    while (!outcomes.includes('completed') && outcomes.length < 9) {
      const run = agent.run('Is there a mug?', { conversationId })
      for await (const event of run) told.push(event)
      const result = await run.result
      outcomes.push(result.outcome)
      told.push(result)
      if (result.outcome === 'failed') {
        const error = OffstageError.fromData(result.error)
        told.push(String(error), error.stack, error.cause, String(error.cause))
      }
    }
    told.push(agent.conversation(conversationId).getSnapshot())
    told.push(await agent.conversations.list(), await agent.conversations.get(conversationId))
    return { outcomes, told: JSON.stringify(told) }
  })()
}

interface TellAll {
  readonly baseURL: string
  readonly transport: 'worker' | 'page'
  readonly functions: boolean
  readonly key: string
  readonly token: string
}

function listenToConsole(page: Page): string[] {
  const lines: string[] = []
  page.context().on('console', (message) => lines.push(message.text()))
  page.on('pageerror', (error) => lines.push(`${error.message} ${error.stack}`))
  return lines
}

for (const transport of ['worker', 'page'] as const) {
  for (const functions of [false, true]) {
    const how = functions ? 'given by functions' : 'given as strings'
    test(
      `a key and a header ${how} do not leak; fetched by the ${transport}`,
      inSlice(!functions && transport === 'worker'),
      async ({ openPage, model }) => {
        const page = await openPage()
        const lines = listenToConsole(page)
        model.enqueue(
          echoing(401),
          echoing(functions ? 401 : 403),
          echoing(429),
          echoing(500),
          echoingStream,
          echoingPage,
          callTools([{ name: 'note', input: {} }]),
          say('There is.'),
        )
        const question = { baseURL: model.baseURL, transport, functions, key: KEY, token: TOKEN }
        const { outcomes, told } = await page.evaluate(tellAll, question)
        expect(outcomes).toContain('completed')
        expect(outcomes.filter((outcome) => outcome === 'failed').length).toBeGreaterThan(2)
        const stored = await page.evaluate(dumpStorage)

        const { headers } = model.requests[0] ?? {}
        expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-token': TOKEN })
        // The search would find them: what the runs were about is there.
        for (const place of [told, stored]) {
          expect(place).toContain('Is there a mug?')
          expect(place).toContain('[redacted]')
          expect(place).not.toMatch(CANARIES)
        }
        expect(lines.join('\n')).not.toMatch(CANARIES)
      },
    )
  }

  test(
    `a proxy with cookie and CSRF token works under a strict policy; fetched by the ${transport}`,
    inSlice(transport === 'worker'),
    async ({ page, model, site }) => {
      const modelURL = model.baseURL
      const upstreamKey = 'sk-server-only'
      const proxy = await startSessionProxy({ site: site.url, modelURL, upstreamKey })
      site.add('/app.html', {
        body: '<!doctype html><script type="module" src="/expose.js"></script>',
      })
      const lines = listenToConsole(page)
      await page.goto(`${proxy.url}/app.html`)
      await page.locator('html[data-ready]').waitFor({ state: 'attached' })

      model.enqueue(
        callTools([{ name: 'buy', input: { sku: 'mug' } }]),
        say('Bought.'),
        say('Again.'),
      )
      await page.evaluate((transport) => {
        const { createAgent, defineTool } = window.offstage
        const asked: boolean[] = []
        let token: Promise<string> | undefined
        const agent = createAgent({
          model: {
            provider: 'openai-compatible',
            model: 'mock',
            baseURL: '/api/v1',
            transport,
            credentials: 'same-origin',
            async headers({ previousRejected }) {
              asked.push(previousRejected)
              if (previousRejected) token = undefined
              token ??= fetch('/api/csrf').then((answer) => answer.text())
              return { 'x-csrf-token': await token }
            },
          },
          storage: 'memory',
          tools: [
            defineTool({
              name: 'buy',
              description: 'Buys something.',
              inputSchema: {
                type: 'object',
                properties: { sku: { type: 'string' } },
                required: ['sku'],
              },
              execute: ({ sku }) => ({ bought: sku }),
            }),
          ],
        })
        Object.assign(window, { agent, asked })
      }, transport)
      const run = (): Promise<{ outcome: string; text: string; asked: boolean[] }> =>
        page.evaluate(async () => {
          const { agent, asked } = window as unknown as {
            agent: Agent
            asked: boolean[]
          }
          const { outcome, text } = await agent.run('A mug, please').result
          return { outcome, text, asked: asked.splice(0) }
        })

      expect(await run()).toEqual({ outcome: 'completed', text: 'Bought.', asked: [false, false] })
      proxy.rotate()
      expect(await run()).toEqual({ outcome: 'completed', text: 'Again.', asked: [false, true] })
      expect(proxy.admitted).toEqual(['csrf-token-1', 'csrf-token-1', 'csrf-token-4'])
      const keys = model.requests.map(({ headers }) => headers['authorization'])
      expect(new Set(keys)).toEqual(new Set([`Bearer ${upstreamKey}`]))
      expect(model.requests.some(({ headers }) => headers['cookie'])).toBe(false)
      expect(lines.filter((line) => /content security policy|trusted/i.test(line))).toEqual([])
      await proxy.close()
    },
  )
}
