import { afterEach, expect, test, vi } from 'vitest'
import { discover, type Discovery } from '../../../src/providers/doctor/discover.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Answers by address; a missing one is a closed port, unless its origin has other answers. */
function machine(answers: { readonly [url: string]: unknown }): {
  readonly fetch: typeof fetch
  readonly urls: string[]
} {
  const urls: string[] = []
  const origins = new Set(Object.keys(answers).map((url) => new URL(url).origin))
  return {
    urls,
    fetch: (input) => {
      const url = String(input)
      urls.push(url)
      const body = answers[url]
      if (body instanceof Response) return Promise.resolve(body)
      if (body !== undefined) return Promise.resolve(Response.json(body))
      if (origins.has(new URL(url).origin)) {
        return Promise.resolve(Response.json({}, { status: 404 }))
      }
      return Promise.reject(new TypeError('Failed to fetch'))
    },
  }
}

const list = (...entries: readonly object[]): object => ({ object: 'list', data: entries })

async function only(answers: { readonly [url: string]: unknown }): Promise<Discovery> {
  const found = await discover({ fetch: machine(answers).fetch })
  expect(found).toHaveLength(1)
  return found[0]!
}

test('on an empty machine, eight requests find nothing', async () => {
  const { fetch, urls } = machine({})
  expect(await discover({ fetch })).toEqual([])
  expect(urls).toHaveLength(8)
})

test('each server is recognised by its answer, with a ready configuration', async () => {
  expect(
    await only({
      'http://localhost:11434/v1/models': list(
        { id: 'nomic-embed-text:latest', owned_by: 'library' },
        { id: 'qwen3:4b', owned_by: 'library' },
      ),
    }),
  ).toEqual({
    type: 'server',
    provider: 'ollama',
    baseURL: 'http://localhost:11434/v1',
    status: 'ready',
    models: ['nomic-embed-text:latest', 'qwen3:4b'],
    config: { provider: 'ollama', model: 'qwen3:4b', baseURL: 'http://localhost:11434/v1' },
  })
  expect(
    await only({
      'http://localhost:1234/v1/models': list({ id: 'q', owned_by: 'organization_owner' }),
    }),
  ).toMatchObject({ provider: 'lmstudio', config: { provider: 'lmstudio', model: 'q' } })
  expect(
    await only({
      'http://localhost:8000/v1/models': list({ id: 'q', owned_by: 'vllm', max_model_len: 8192 }),
    }),
  ).toMatchObject({ provider: 'vllm', config: { contextWindow: 8192 } })
})

test('two kinds of server on one port are distinguished', async () => {
  const models = 'http://localhost:8080/v1/models'
  expect(await only({ [models]: list({ id: 'q', owned_by: 'llamacpp' }) })).toMatchObject({
    provider: 'llamacpp',
  })
  expect(
    await only({
      [models]: list({ id: 'q' }),
      'http://localhost:8080/props': { default_generation_settings: {} },
    }),
  ).toMatchObject({ provider: 'llamacpp' })
  expect(
    await only({
      [models]: list({ id: 'q' }),
      'http://localhost:8080/version': { version: 'v3.7.0 (abc)' },
    }),
  ).toMatchObject({ provider: 'localai' })
  expect(await only({ [models]: list({ id: 'q' }) })).toMatchObject({
    provider: 'openai-compatible',
  })
})

test('a server on another server’s port is recognised', async () => {
  expect(
    await only({ 'http://localhost:8080/v1/models': list({ id: 'q', owned_by: 'vllm' }) }),
  ).toMatchObject({ provider: 'vllm', config: { baseURL: 'http://localhost:8080/v1' } })
})

test('a server that listens on 127.0.0.1 only is found', async () => {
  expect(await only({ 'http://127.0.0.1:1234/v1/models': list({ id: 'q' }) })).toMatchObject({
    provider: 'openai-compatible',
    baseURL: 'http://127.0.0.1:1234/v1',
  })
})

test('a server without models, or one that wants a key, is found', async () => {
  const empty = await only({
    'http://localhost:11434/v1/models': { object: 'list', data: null },
    'http://localhost:11434/api/tags': { models: [] },
  })
  expect(empty).toMatchObject({ provider: 'ollama', status: 'no-models', models: [] })
  expect(empty).not.toHaveProperty('config')
  const keyed = Response.json({ error: 'Unauthorized' }, { status: 401 })
  expect(await only({ 'http://localhost:8000/v1/models': keyed })).toMatchObject({
    provider: 'vllm',
    status: 'key-needed',
  })
})

test('an unrelated service on a port is not mentioned', async () => {
  const page = new Response('<h1>My app</h1>', { headers: { 'content-type': 'text/html' } })
  const { fetch } = machine({ 'http://localhost:8080/v1/models': page })
  expect(await discover({ fetch })).toEqual([])
})

test('a server that refuses this page is found, with advice', async () => {
  vi.stubGlobal('origin', 'https://shop.example')
  const found = await discover({
    fetch: (url, init) =>
      init?.mode === 'no-cors' && String(url) === 'http://localhost:11434/'
        ? Promise.resolve(new Response(null))
        : Promise.reject(new TypeError('Failed to fetch')),
  })
  expect(found).toMatchObject([{ provider: 'ollama', status: 'refused' }])
  expect(JSON.stringify(found)).toContain('OLLAMA_ORIGINS=https://shop.example')
})

test('the browser’s own model and WebGPU are found', async () => {
  class LanguageModel {
    static availability = (): Promise<string> => Promise.resolve('downloadable')
  }
  vi.stubGlobal('LanguageModel', LanguageModel)
  const features = new Set(['shader-f16'])
  vi.stubGlobal('navigator', { gpu: { requestAdapter: () => Promise.resolve({ features }) } })
  expect(await discover({ fetch: machine({}).fetch })).toMatchObject([
    { type: 'browser-model', availability: 'downloadable', config: { provider: 'prompt-api' } },
    { type: 'webgpu', shaderF16: true, config: { model: expect.stringContaining('q4f16') } },
  ])
  vi.stubGlobal('navigator', { gpu: { requestAdapter: () => Promise.resolve(null) } })
  LanguageModel.availability = () => Promise.reject(new Error('no'))
  expect(await discover({ fetch: machine({}).fetch })).toEqual([])
})

test('a silent server is given up in time, and an abort rejects', async () => {
  const silent: typeof fetch = () => new Promise(() => {})
  expect(await discover({ fetch: silent, timeoutMs: 10 })).toEqual([])
  const controller = new AbortController()
  const search = discover({ fetch: silent, signal: controller.signal })
  controller.abort()
  await expect(search).rejects.toMatchObject({ code: 'aborted' })
})
