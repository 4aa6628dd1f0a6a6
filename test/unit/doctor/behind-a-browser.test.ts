import { afterEach, expect, test, vi } from 'vitest'
import { diagnose } from '../../../src/providers/doctor/diagnose.ts'
import type { CheckName, Diagnosis } from '../../../src/providers/doctor/examination.ts'
import { callStream } from './small-server.ts'

/** The network as a page sees it: a function from request to response. Undefined: a network error. */
type Network = (url: string, init: RequestInit) => Response | undefined

function browse(network: Network): typeof fetch {
  return (url, init = {}) => {
    const response = network(String(url), init)
    return response ? Promise.resolve(response) : Promise.reject(new TypeError('Failed to fetch'))
  }
}

const down: Network = () => undefined
/** Runs, and lets nobody in: only a request that needs no CORS gets through. */
const closed: Network = (_, { mode }) => (mode === 'no-cors' ? new Response(null) : undefined)

const page = 'https://shop.example'
const ollama = { provider: 'ollama', model: 'qwen3:4b' }
const lan = { provider: 'vllm', model: 'm', baseURL: 'http://192.168.1.20:8000/v1' }

function failed(report: Diagnosis): CheckName[] {
  return report.checks.filter(({ status }) => status === 'failed').map(({ name }) => name)
}

function wordsOf(report: Diagnosis, name: CheckName): string {
  const found = report.checks.find((check) => check.name === name)
  return `${found?.message}\n${found?.fix}`
}

function permission(answers: { readonly [name: string]: PermissionState }): void {
  const query = ({ name }: { name: string }): Promise<{ state: PermissionState }> => {
    const state = answers[name]
    return state ? Promise.resolve({ state }) : Promise.reject(new TypeError('unknown name'))
  }
  vi.stubGlobal('navigator', { permissions: { query } })
}

afterEach(() => {
  vi.unstubAllGlobals()
})

test('a server that is down is distinguished from one closed by CORS', async () => {
  expect(failed(await diagnose(ollama, { page, fetch: browse(down) }))).toEqual(['server'])
  const report = await diagnose(ollama, { page, fetch: browse(closed) })
  expect(failed(report)).toEqual(['cors'])
  expect(wordsOf(report, 'cors')).toContain(`OLLAMA_ORIGINS=${page}`)
  expect(wordsOf(report, 'server')).toContain('Something answers')
})

test.each([
  ['lmstudio', 'http://localhost:1234/v1', /lms server start --cors/],
  ['vllm', 'http://localhost:8000/v1', /--allowed-origins '\["https:\/\/shop\.example"\]'/],
  ['localai', 'http://localhost:8080/v1', /--cors-allow-origins https:\/\/shop\.example/],
  ['openai-compatible', 'https://api.example/v1', /content-type and authorization/],
  ['openai-compatible', 'http://localhost:11434/v1', /OLLAMA_ORIGINS/],
])('the advice for CORS fits %s at %s', async (provider, baseURL, words) => {
  const report = await diagnose({ provider, model: 'm', baseURL }, { page, fetch: browse(closed) })
  expect(wordsOf(report, 'cors')).toMatch(words)
})

test('a server that allows the origin, but not the headers, is reported', async () => {
  const network: Network = (url, init) =>
    closed(url, init) ?? (init.method === undefined ? Response.json({ data: [] }) : undefined)
  const report = await diagnose(
    { ...ollama, apiKey: 'sk-123456' },
    { page, fetch: browse(network) },
  )
  expect(wordsOf(report, 'cors')).toMatch(/allows the origin.*authorization, content-type/)
})

test('a server that ignores the empty request is not blamed for CORS', async () => {
  const network: Network = (_, { method, body }) => {
    if (method === undefined) return Response.json({ data: [{ id: 'm' }] })
    if (String(body).includes('"messages":0')) return undefined
    const sse = callStream('report_number', '{"value":7}')
    return new Response(sse, { headers: { 'content-type': 'text/event-stream' } })
  }
  const config = { provider: 'openai-compatible', model: 'm', baseURL: 'https://models.example/v1' }
  const report = await diagnose(config, { page, fetch: browse(network) })
  expect(failed(report)).toEqual([])
  for (const name of ['server', 'cors', 'path', 'tools'] as const)
    expect(report.checks.find((check) => check.name === name)?.status, name).toBe('ok')
})

test('a wrong path is found behind a 404 without CORS headers', async () => {
  const network: Network = (url, init) =>
    new URL(url).pathname === '/v1/chat/completions'
      ? Response.json({ error: { message: 'no messages' } }, { status: 400 })
      : closed(url, init)
  const baseURL = 'https://models.example/api'
  const report = await diagnose(
    { provider: 'openai-compatible', model: 'm', baseURL },
    { page, fetch: browse(network) },
  )
  expect(failed(report)).toEqual(['path'])
  expect(wordsOf(report, 'path')).toContain("baseURL: 'https://models.example/v1'")
})

test('mixed content is found, except for localhost', async () => {
  expect(failed(await diagnose(lan, { page, fetch: browse(down) }))).toEqual(['mixed-content'])
  expect(failed(await diagnose(ollama, { page, fetch: browse(down) }))).toEqual(['server'])
  const insecure = { page: 'http://shop.example', fetch: browse(down) }
  expect(failed(await diagnose(lan, insecure))).toEqual(['server'])
})

test('mixed content that the browser allows is accepted', async () => {
  const network: Network = () => Response.json({ error: { message: 'no' } }, { status: 400 })
  const report = await diagnose(lan, { page, probe: false, fetch: browse(network) })
  expect(report.ok).toBe(true)
  expect(wordsOf(report, 'mixed-content')).toMatch(/was allowed/)
  expect(wordsOf(report, 'local-network')).toMatch(/was allowed/)
})

test('a local-network permission that is denied or unanswered is reported', async () => {
  permission({ 'loopback-network': 'denied' })
  const denied = await diagnose(ollama, { page, fetch: browse(down) })
  expect(failed(denied)).toEqual(['local-network'])
  expect(wordsOf(denied, 'local-network')).toMatch(/site settings/)
  // Chromium 142 to 144 know the one name only.
  permission({ 'local-network-access': 'prompt' })
  const asked = await diagnose(ollama, {
    page,
    timeoutMs: 10,
    fetch: () => new Promise(() => {}),
  })
  expect(failed(asked)).toEqual(['local-network'])
  expect(wordsOf(asked, 'local-network')).toMatch(/asks whether/)
})

test('an unanswered permission is mentioned when the server is down', async () => {
  permission({ 'loopback-network': 'prompt' })
  const report = await diagnose(ollama, { page, fetch: browse(down) })
  expect(failed(report)).toEqual(['server'])
  expect(wordsOf(report, 'local-network')).toMatch(/not allowed yet/)
})

test('a private address with a granted permission is not mixed content', async () => {
  permission({ 'local-network': 'granted' })
  expect(failed(await diagnose(lan, { page, fetch: browse(down) }))).toEqual(['server'])
  permission({ 'local-network': 'denied' })
  expect(failed(await diagnose(lan, { page, fetch: browse(down) }))).toEqual(['local-network'])
})

test('the permission is ignored for local pages, public endpoints and other browsers', async () => {
  permission({ 'loopback-network': 'denied', 'local-network': 'denied' })
  const local = await diagnose(ollama, { page: 'http://localhost:5173', fetch: browse(down) })
  expect(failed(local)).toEqual(['server'])
  const cloud = { provider: 'openai', model: 'm' }
  expect(failed(await diagnose(cloud, { page, fetch: browse(down) }))).toEqual(['server'])
  permission({})
  expect(failed(await diagnose(ollama, { page, fetch: browse(down) }))).toEqual(['server'])
})

test("a page that can't request the permission is advised to use https", async () => {
  permission({ 'loopback-network': 'denied' })
  const report = await diagnose(ollama, { page: 'http://shop.example', fetch: browse(down) })
  expect(wordsOf(report, 'local-network')).toMatch(/https/)
})

test('offline is reported', async () => {
  vi.stubGlobal('navigator', { onLine: false })
  const report = await diagnose({ provider: 'openai', model: 'm' }, { page, fetch: browse(down) })
  expect(wordsOf(report, 'server')).toMatch(/offline/)
})

test('a Content-Security-Policy is found though its event follows the failure', async () => {
  const scope = new EventTarget()
  vi.stubGlobal('addEventListener', scope.addEventListener.bind(scope))
  vi.stubGlobal('removeEventListener', scope.removeEventListener.bind(scope))
  const network: Network = (url) => {
    const event = Object.assign(new Event('securitypolicyviolation'), {
      blockedURI: url,
      disposition: 'enforce',
      effectiveDirective: 'connect-src',
      originalPolicy: "default-src 'none'; connect-src 'self'",
    })
    setTimeout(() => scope.dispatchEvent(event), 0)
    return undefined
  }
  const report = await diagnose(ollama, { page, fetch: browse(network) })
  expect(failed(report)).toEqual(['content-security-policy'])
  const words = wordsOf(report, 'content-security-policy')
  expect(words).toContain("refuses requests to http://localhost:11434: connect-src 'self'")
  expect(words).toContain("connect-src 'self' http://localhost:11434")
})

test('the page defaults to the origin of the global scope', async () => {
  vi.stubGlobal('origin', page)
  expect(failed(await diagnose(ollama, { fetch: browse(closed) }))).toEqual(['cors'])
  vi.stubGlobal('origin', 'http://localhost:11434')
  const network: Network = () => Response.json({ error: { message: 'no' } }, { status: 400 })
  const same = await diagnose(ollama, { probe: false, fetch: browse(network) })
  expect(wordsOf(same, 'cors')).toMatch(/same origin/)
})
