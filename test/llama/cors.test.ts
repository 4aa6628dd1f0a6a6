import { createServer } from 'node:http'
import { chromium, type Browser, type Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM_ARGS, ensureChromium } from '../../scripts/lib/browser.mjs'
import { createProvider, type ProviderConfig } from '../../src/providers/index.ts'
import { listen } from '../browser/support/listen.ts'
import { configOf, formats, type Format } from './formats.ts'
import { startLlamaServer, type LlamaServer } from './llama-server.ts'

// The very requests of the providers, sent by a page of another origin.

const KEY = 'sk-llama-4711'

interface Sent {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

let browser: Browser
let page: Page
let site: Awaited<ReturnType<typeof listen>>

beforeAll(async () => {
  site = await listen(
    createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>Hi')),
  )
  browser = await chromium.launch({
    executablePath: await ensureChromium('shell'),
    args: CHROMIUM_ARGS,
  })
  page = await browser.newPage()
  await page.goto(site.url)
}, 60_000)

afterAll(async () => {
  await browser.close()
  await site.close()
})

/** The request that a provider makes. */
async function requestOf(config: ProviderConfig): Promise<Sent> {
  let sent: Sent | undefined
  const parts = createProvider(config).stream(
    { messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }], tools: [] },
    {
      fetch: (url, init) => {
        const headers = Object.fromEntries(new Headers(init?.headers))
        sent = { url: String(url), headers, body: String(init?.body) }
        return Promise.reject(new Error('It is sent by the page.'))
      },
    },
  )
  for await (const _ of parts);
  if (!sent) throw new Error('No request was made.')
  return sent
}

function sendFromPage(sent: Sent): Promise<string> {
  return page.evaluate(async ({ url, headers, body }) => {
    try {
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error' })
      return `${response.status} ${await response.text()}`
    } catch (error) {
      return String(error)
    }
  }, sent)
}

function sendWith(format: Format, { url }: LlamaServer, more: Partial<ProviderConfig>) {
  return requestOf(configOf(format, url, { maxOutputTokens: 8, ...more })).then(sendFromPage)
}

describe('a llama-server with a key answers a page of another origin', () => {
  let server: LlamaServer

  beforeAll(async () => {
    server = await startLlamaServer({ args: ['--api-key', KEY] })
  }, 60_000)

  afterAll(() => server.close())

  test.each(formats)('in $format, with the key in x-api-key', async (format) => {
    const answer = await sendWith(format, server, {
      apiKey: '',
      headers: { 'x-api-key': KEY },
    })
    expect(answer).toMatch(/^200 [^]*(?:\[DONE\]|message_stop|response\.completed)/)
  })

  test.each(formats)('in $format, with apiKey', async (format) => {
    expect(await sendWith(format, server, { apiKey: KEY })).toMatch(/^200 /)
  })

  test.each(formats)('in $format, with a wrong key, which the page can detect', async (format) => {
    expect(await sendWith(format, server, { apiKey: 'sk-wrong' })).toMatch(/^401 /)
  })
})

describe('a llama-server for another origin', () => {
  let server: LlamaServer

  beforeAll(async () => {
    server = await startLlamaServer({ args: ['--cors-origins', 'https://app.example'] })
  }, 60_000)

  afterAll(() => server.close())

  test.each(formats)('in $format, the browser refuses it', async (format) => {
    expect(await sendWith(format, server, {})).toMatch(/^TypeError/)
  })
})
