import type { Page } from '@playwright/test'
import type { Agent, ConversationSnapshot } from '../../src/index.ts'
import { countTokens } from '../apps/count-tokens.ts'
import { asksForSummary, messagesOf, orphans } from './support/chat-parts.ts'
import { callTools, say } from './support/mock-answers.ts'
import type { ChatRequest, MockOpenAI, MockResponse } from './support/mock-openai.ts'
import { MORE, inSlice } from './support/more.ts'
import { expect, test } from './support/test.ts'

// The worker is the built one; its model's server counts tokens as two tokenizers in use do.

const WINDOW = 6_000
const STEPS = 24
const HANG: MockResponse = { pieces: [], end: 'hang' }

declare global {
  interface Window {
    shop: { readonly agent: Agent; readonly workers: Worker[] }
  }
}

const tokensOf = ({ messages, tools }: ChatRequest): number =>
  countTokens(JSON.stringify({ messages, tools }))

const resultsIn = (request: ChatRequest): number =>
  messagesOf(request).filter(({ role }) => role === 'tool').length

/** Reads on, or hangs where the page is to go; what the model is asked after that, it answers. */
function readOn(model: MockOpenAI, hangs: (request: ChatRequest) => boolean) {
  let step = 0
  let hung: ChatRequest | undefined
  model.respond = ({ body }) => {
    const promptTokens = tokensOf(body)
    if (hung === undefined && hangs(body)) {
      hung = body
      return HANG
    }
    if (asksForSummary(body)) return say('A blue mug is wanted.', { promptTokens })
    step += 1
    return step < STEPS
      ? callTools([{ id: `call_${step}`, name: 'read', input: { at: step } }], { promptTokens })
      : say('It is on shelf nine.', { promptTokens })
  }
  return {
    get hung() {
      return hung
    },
  }
}

/** Begins the run, or resumes it. */
async function open(page: Page, { baseURL, begin }: { baseURL: string; begin: boolean }) {
  await page.evaluate(
    async (given) => {
      const { createAgent, defineTool } = window.offstage
      const workers: Worker[] = []
      const agent = createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL: given.baseURL },
        instructions: 'You keep shop.',
        maxSteps: -1,
        compaction: { contextWindow: given.window, policy: 'summarize' },
        worker: () => {
          const worker = new Worker('/dist/worker.js', { type: 'module' })
          workers.push(worker)
          return worker
        },
        tools: [
          defineTool({
            name: 'read',
            description: 'Reads.',
            inputSchema: { type: 'object', properties: { at: { type: 'number' } } },
            annotations: { readOnly: true },
            execute: ({ at = 0 }) =>
              Array.from({ length: 160 }, (_, n) => `harbour${(at * 7919 + n) % 9973}`).join(' '),
          }),
        ],
      })
      window.shop = { agent, workers }
      if (given.begin) agent.run('Find the blue mug.', { conversationId: 'shop' })
      else await agent.resume('shop')
    },
    { baseURL, begin, window: WINDOW },
  )
}

const idle = (page: Page): Promise<ConversationSnapshot> =>
  page.evaluate(async () => {
    const view = window.shop.agent.conversation('shop')
    return new Promise<ConversationSnapshot>((resolve) => {
      const look = (): void => {
        const snapshot = view.getSnapshot()
        if (snapshot.ended && snapshot.older === 0) resolve(structuredClone(snapshot))
      }
      view.subscribe(look)
      look()
    })
  })

const leave = {
  'the page is reloaded': async (page: Page, baseURL: string) => {
    await page.reload()
    await page.locator('html[data-ready]').waitFor({ state: 'attached' })
    await open(page, { baseURL, begin: false })
  },
  'the worker is killed': (page: Page) =>
    page.evaluate(() => window.shop.workers.at(-1)?.terminate()),
}

/** All that holds of the requests, whatever happened between them. */
function checkRequests(model: MockOpenAI): void {
  const requests = model.requests.map(({ body }) => body)
  expect(Math.max(...requests.map(tokensOf))).toBeLessThan(WINDOW)
  expect(requests.flatMap(orphans)).toEqual([])
  for (const request of requests)
    expect(JSON.stringify(messagesOf(request))).toContain('Find the blue mug.')
}

const summariesAsked = (model: MockOpenAI): number =>
  model.requests.filter(({ body }) => asksForSummary(body)).length

for (const [name, go] of Object.entries(leave)) {
  test(
    `${name} while a summary is written: the summary is requested again, and the run continues`,
    inSlice(name.includes('killed')),
    async ({ openPage, model }) => {
      const { baseURL } = model
      const { requests } = model
      const server = readOn(model, asksForSummary)
      const page = await openPage()
      await open(page, { baseURL, begin: true })
      await expect.poll(() => server.hung !== undefined).toBe(true)
      const before = requests.length
      await go(page, baseURL)
      const { ended, compactions = [] } = await idle(page)
      expect(ended).toMatchObject({ outcome: 'completed' })
      checkRequests(model)
      // Nothing of it was stored: the next request is the same question, on the same messages.
      expect(messagesOf(requests[before]?.body ?? {})).toEqual(messagesOf(server.hung ?? {}))
      expect(summariesAsked(model)).toBe(compactions.length + 1)
    },
  )

  test(
    `${name} after a summary was stored: the summary is reused, and the request is the same`,
    MORE,
    async ({ openPage, model }) => {
      const { baseURL } = model
      const { requests } = model
      const server = readOn(
        model,
        (request) =>
          !asksForSummary(request) &&
          JSON.stringify(messagesOf(request)).includes('A blue mug is wanted.'),
      )
      const page = await openPage()
      await open(page, { baseURL, begin: true })
      await expect.poll(() => server.hung !== undefined).toBe(true)
      const before = requests.length
      expect(summariesAsked(model)).toBe(1)
      await go(page, baseURL)
      const { ended, compactions = [], messages } = await idle(page)
      expect(ended).toMatchObject({ outcome: 'completed' })
      checkRequests(model)
      expect(messagesOf(requests[before]?.body ?? {})).toEqual(messagesOf(server.hung ?? {}))
      expect(summariesAsked(model)).toBe(compactions.length)
      // The page still shows all messages, and the places where they were compacted.
      expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(STEPS - 1)
      for (const each of compactions)
        expect(each).toMatchObject({
          kind: 'summarized',
          summary: 'A blue mug is wanted.',
          after: messages.find(({ id }) => id === each.after)?.id,
        })
      expect(resultsIn(requests.at(-1)?.body ?? {})).toBeLessThan(STEPS - 1)
    },
  )
}
