import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collect } from '../../../src/providers/collect.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/create-provider.ts'
import { diagnose } from '../../../src/providers/doctor/diagnose.ts'
import { chatRoute, serve, type Asked } from './small-server.ts'

// The proxy of docs/providers/keys.md, as it stands there, against a model server.

const KEY = 'sk-server-side-only'
let folder: string
let proxyFile: string
const children: ChildProcess[] = []

beforeAll(async () => {
  const page = await readFile(new URL('../../../docs/providers/keys.md', import.meta.url), 'utf8')
  const code = /```js\n([\s\S]*?)\n```/.exec(page)?.[1] ?? ''
  folder = await mkdtemp(path.join(os.tmpdir(), 'offstage-proxy-'))
  proxyFile = path.join(folder, 'proxy.mjs')
  await writeFile(proxyFile, code)
})

afterAll(async () => {
  for (const child of children) child.kill()
  await rm(folder, { recursive: true, force: true })
})

async function start(): Promise<{ readonly origin: string; readonly asked: Asked[] }> {
  const upstream = await serve(chatRoute(['gpt-4.1-mini']))
  const env = { API_KEY: KEY, PORT: '0', UPSTREAM: `${upstream.origin}/v1` }
  const child = spawn(process.execPath, [proxyFile], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const line = await new Promise<string>((resolve) => {
    child.stdout.once('data', (data: Buffer) => resolve(String(data)))
  })
  return { origin: line.trim().replace('localhost', '127.0.0.1'), asked: upstream.asked }
}

/** The cookie, which a browser would send by itself, and the token of a new session. */
async function signIn(origin: string): Promise<{ [name: string]: string }> {
  const response = await fetch(`${origin}/session`, { method: 'POST' })
  const { csrf } = (await response.json()) as { csrf: string }
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { cookie, 'x-csrf-token': csrf }
}

function configFor(origin: string, headers: ProviderConfig['headers']): ProviderConfig {
  const base = { provider: 'openai', model: 'gpt-4.1-mini', baseURL: `${origin}/ai/v1` }
  return { ...base, ...(headers && { headers }) }
}

test('a page gets streamed answers, the key stays behind', async () => {
  const { origin, asked } = await start()
  const config = configFor(origin, await signIn(origin))
  const report = await diagnose(config)
  expect(report.checks.filter(({ status }) => status === 'failed')).toEqual([])
  expect(report.models).toEqual(['gpt-4.1-mini', 'gpt-4.1-nano'])
  const run = asked.at(-1)
  expect(run?.headers.authorization).toBe(`Bearer ${KEY}`)
  expect(run?.headers.cookie).toBeUndefined()
  expect(run?.body).toMatchObject({ stream: true, max_completion_tokens: 1_024 })
  expect(run?.body['user']).toEqual(expect.any(String))
})

test('a stale session is renewed after its 401', async () => {
  const { origin } = await start()
  const config = configFor(origin, ({ previousRejected }) =>
    previousRejected ? signIn(origin) : { 'x-csrf-token': 'stale' },
  )
  expect((await diagnose(config)).ok).toBe(true)
})

test('no session, no token, another model: refused before anything is paid for', async () => {
  const { origin, asked } = await start()
  const session = await signIn(origin)
  const codes: (string | undefined)[] = []
  for (const [model, headers] of [
    ['gpt-4.1-mini', undefined],
    ['gpt-4.1-mini', { cookie: session['cookie'] ?? '' }],
    ['gpt-5-pro', session],
  ] as const) {
    const provider = createProvider({ ...configFor(origin, headers), model })
    const turn = await collect(
      provider.stream({
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
        tools: [],
      }),
    )
    codes.push(turn.error?.code)
  }
  expect(codes).toEqual(['authentication', 'authentication', 'permission-denied'])
  expect(asked).toEqual([])
})

test('too much and too large', async () => {
  const { origin } = await start()
  const headers = await signIn(origin)
  const post = (body: string): Promise<Response> =>
    fetch(`${origin}/ai/v1/chat/completions`, { method: 'POST', headers, body })
  expect((await post('x'.repeat(2_100_000))).status).toBe(413)
  let last = await post('{}')
  for (let n = 0; n < 20; n++) last = await post('{}')
  expect(last.status).toBe(429)
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
})
